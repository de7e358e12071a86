// Texts that have broken other software: each is a value some interpreter takes for more than a value.

import type { Draw } from './draw.ts'

/** `@` stands for the mark. */
const texts = [
  ...[
    "' or 1=1 -- @",
    "@'; select pg_sleep(20); --",
    '@" union select null --',
    "@\\'",
    '@$$',
    '$1 @',
    "@ $& $` $'",
    '%@%',
  ],
  ...[
    '{{7*7}}@',
    '\u0024{7*7}@',
    '<%= 7*7 %>@',
    '#{7*7}@',
    '{@}',
    '{externalUserId}@',
    '\u0024{jndi:ldap://127.0.0.1:9/@}',
  ],
  ...[
    '../../../../etc/passwd@',
    '..\\..\\@',
    '/etc/passwd\u0000@',
    'file:///etc/passwd#@',
    'C:\\@',
    '..;/@',
    '.',
    '..',
    '@/..',
  ],
  ...[
    '@\r\nX-Injected: yes',
    '@\nX-Injected: yes',
    '@%0d%0aX-Injected: yes',
    '\r\n\r\nHTTP/1.1 200 OK @',
    '@嘊嘍X-Injected: yes',
  ],
  ...['%s%s%s%n@', '%x%p@', '%@', '@%', '%00@', '%zz@', '%c0%ae@', '\\u0000@', '\\@'],
  ...[
    '<script>alert(1)</script>@',
    '"><img src=x onerror=@>',
    '<!--@',
    ']]>@',
    '&@;',
    '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "@">]>',
  ],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__@', 'then'],
  ...[
    'null',
    'undefined',
    'NaN',
    'Infinity',
    '-0',
    '1e999',
    '0x10',
    'true',
    '[]',
    '{}',
    '""',
    "''",
    '0',
    '-1',
    '9007199254740993',
  ],
  ...[
    '@\u0000',
    '\u0000',
    '\ud800@',
    '@\udfff',
    '\ufeff@',
    '@\u202e@',
    '\u200b@',
    '@\u2028@\u2029',
    '\u0085@',
    '\u007f@',
    '\u{10ffff}@',
  ],
  ...['ﬀ@', 'İ@', 'ß@', 'Ⅷ@', 'é@', 'e\u0301@', '👩‍👩‍👧‍👦@', '𝒂@', ' @', '@ ', '\t@', ' '],
  ...['; ls @', '| id @', '`id`@', '$(id)@', '@ && id', '*@', '?@', '@#fragment', '//@', 'javascript:@', 'data:,@'],
  ...[
    '2026-02-30T00:00:00Z',
    '0000-00-00T00:00:00Z',
    '9999-12-31T23:59:60Z',
    '+275760-09-13T00:00:00.001Z',
    '2026-01-31',
    '-271821-04-20T00:00:00Z',
  ],
  ...[
    'va_@',
    'eu_00000000000000000000000000',
    'evt_zzzzzzzzzzzzzzzzzzzzzzzzzz',
    'whsec_@',
    'svc_test_@',
    'key_',
    '@@localhost',
    'a@b',
  ],
]

const lengths = [1, 2, 63, 64, 65, 128, 129, 255, 256, 257, 320, 512, 1024, 2048, 2049, 8_000] as const

export function hostileText(draw: Draw, mark: string): string {
  if (draw.oneIn(12)) return mark + draw.pick(['x', 'é', '😀', '\u0000', '%', "'"]).repeat(draw.pick(lengths))
  return draw.pick(texts).replaceAll('@', () => mark)
}

export const hostileNames = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '',
  ' ',
  '$ref',
  'a.b',
  'a/b',
  '\u0000',
  '\ud800',
  "'",
  'data',
  'length',
  '0',
  'x'.repeat(300),
] as const
