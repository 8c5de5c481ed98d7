package main

// identity is the first section of the system prompt, before all that is registered.
const identity = "You are a careful agent in a terminal. You work in one directory with the tools you are given."

// guidance is the text that stands in the system prompt while plan mode is in force.
const guidance = `You are in plan mode. The user wants to agree on a plan before anything is done.
Look around as much as you need, but change nothing: do not use write_note.
When you know what to do, call exit_plan_mode with the whole plan as a Markdown document that
begins with a level-1 heading. If the user wants changes, revise the plan and present it again.`
