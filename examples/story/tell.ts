// Prints the story: a heading for each chapter, and a line for each check that passed.

let chapters = 0
let steps = 0

export function chapter(title: string): void {
  chapters++
  console.log(`\n${title}`)
}

export function saw(text: string): void {
  steps++
  console.log(`  ✓ ${text}`)
}

export const told = () => ({ chapters, steps })
