// A page that must stay for now: it waits for what cannot be shown again, or shows it.

let keepers = 0
let afterwards: (() => void) | null = null

/** Keeps the page. @returns how to let it go */
export function keepPage(): () => void {
  keepers += 1
  return () => {
    keepers -= 1
    setTimeout(leaveIfFree) // the form of a secret goes before the secret comes
  }
}

/** Does what leaves the page, as soon as nothing keeps it. */
export function onceLetGo(leave: () => void): void {
  afterwards = leave
  leaveIfFree()
}

function leaveIfFree(): void {
  if (keepers > 0 || afterwards === null) return
  const leave = afterwards
  afterwards = null
  leave()
}
