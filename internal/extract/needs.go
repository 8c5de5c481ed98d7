package extract

// Needs are the parts of entries that no page shows. They cost time and memory, and are
// made only for those who use them.
type Needs struct {
	Guards  bool // [model.Entry.Guard]
	Members bool // the comments and declarations of members, and the comments of constants
}
