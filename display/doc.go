// Package display is what people see of a table: the page to watch it and to play, and the text of the small displays at
// the seats. It draws what an engine.View says and decides nothing; who may see which card was decided before.
//
// Page serves the page, whose source is in web/ and which is built into web/dist by npm (see the Makefile's web target).
// SeatText gives a seat's text. The words of the page and of the terminal, in each language, are in package text.
package display
