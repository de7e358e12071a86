// Commands that say which deployment the others talk to, and as whom.

import type { CommandSpec } from '../command.ts'

const profile = ['--profile <name>', 'this one, and not the current one'] as const

export const profileCommands: readonly CommandSpec[] = [
  {
    name: 'login',
    summary: 'keep the address and key of a deployment as a profile; asks for what is not given',
    options: [['--browser', 'confirm in the console, which issues a key for this computer']],
    examples: [
      'login',
      'login --browser --base-url https://causeway.example.com',
      'login --base-url https://causeway.example.com --api-key - < key.txt',
    ],
    exitCodes: ['130  ended by Ctrl-C'],
    reach: 'api',
    load: async () => (await import('../profile/login.ts')).login,
  },
  {
    name: 'logout',
    summary: 'forget a profile',
    options: [profile],
    examples: ['logout', 'logout --profile sandbox'],
    exitCodes: ['3    there is no such profile'],
    load: async () => (await import('../profile/login.ts')).logout,
  },
  {
    name: 'whoami',
    summary: 'show which deployment, business and key commands of this folder use',
    examples: ['whoami', 'whoami --profile sandbox --json'],
    reach: 'api',
    load: async () => (await import('../profile/login.ts')).whoAmI,
  },
  {
    name: 'profiles list',
    summary: 'list the profiles, and which is the current one',
    examples: ['profiles list'],
    load: async () => (await import('../profile/login.ts')).listProfiles,
  },
  {
    name: 'profiles use',
    summary: 'make a profile the current one',
    args: [['<name>', 'its name']],
    examples: ['profiles use sandbox'],
    exitCodes: ['3    there is no such profile'],
    load: async () => (await import('../profile/login.ts')).useProfile,
  },
]
