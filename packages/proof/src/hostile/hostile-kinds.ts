// The ways in which a receiver is hostile.

export const hostileKinds = [
  'never-read',
  'silent',
  'byte-a-second',
  'endless-body',
  'gzip-bomb',
  'redirect-loop',
  'reset',
] as const

export type HostileKind = (typeof hostileKinds)[number]
