// Package planmode gives an agent loop a plan mode: the user can ask the model to plan
// first, and the model asks the user to review the plan before it carries it out.
package planmode
