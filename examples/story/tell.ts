// How the story is told: a heading for each chapter, a line for each thing that was seen and held.

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
