// Exit codes: what a script can decide by.

export const exitCodes = {
  done: 0,
  refused: 1,
  usage: 2,
  notSignedIn: 3,
  unreachable: 4,
  partlyDone: 5,
  /** sysexits.h: EX_CONFIG. */
  config: 78,
  /** 128 and SIGINT. */
  interrupted: 130,
} as const

export const exitCodeTexts: readonly string[] = [
  '0    done',
  '1    the server refused, or a check found a problem',
  '2    wrong use of the command line',
]

export const apiExitCodeTexts: readonly string[] = [
  '3    not signed in: there is no key, or it is not valid',
  '4    the server cannot be reached',
]
