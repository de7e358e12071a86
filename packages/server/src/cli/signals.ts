// How a person, or a supervisor, tells the process to stop.

/** Resolves at the first SIGINT or SIGTERM. A second one ends the process at once. */
export function untilToldToStop(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let told = false
    const hear = (signal: NodeJS.Signals): void => {
      if (told) process.exit(130)
      told = true
      resolve(signal)
    }
    process.on('SIGINT', hear)
    process.on('SIGTERM', hear)
  })
}
