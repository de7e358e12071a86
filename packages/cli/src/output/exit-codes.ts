// Exit codes, for scripts.

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
  '0    success',
  '1    the server returned an error, or a check found a problem',
  '2    wrong command, argument or option',
]

export const apiExitCodeTexts: readonly string[] = [
  '3    not authenticated: no API key, or the key is invalid',
  '4    the server cannot be reached',
]
