// Commands that choose the deployment and API key of the other commands.

import type { CommandSpec } from '../command.ts'

const profile = ['--profile <name>', 'this profile instead of the current one'] as const

export const profileCommands: readonly CommandSpec[] = [
  {
    name: 'login',
    summary: "save a deployment's URL and API key as a profile (prompts for missing values)",
    options: [['--browser', 'sign in with the browser: the console issues a key for this computer']],
    examples: [
      'login',
      'login --browser --base-url https://causeway.example.com',
      'login --base-url https://causeway.example.com --api-key - < key.txt',
    ],
    exitCodes: ['130  interrupted by Ctrl-C'],
    reach: 'api',
    load: async () => (await import('../profile/login.ts')).login,
  },
  {
    name: 'logout',
    summary: 'delete a profile from this computer',
    options: [profile],
    examples: ['logout', 'logout --profile sandbox'],
    exitCodes: ['3    the profile does not exist'],
    load: async () => (await import('../profile/login.ts')).logout,
  },
  {
    name: 'whoami',
    summary: 'show the deployment, business and API key that commands use here',
    examples: ['whoami', 'whoami --profile sandbox --json'],
    reach: 'api',
    load: async () => (await import('../profile/login.ts')).whoAmI,
  },
  {
    name: 'profiles list',
    summary: 'list profiles and mark the current one',
    examples: ['profiles list'],
    load: async () => (await import('../profile/login.ts')).listProfiles,
  },
  {
    name: 'profiles use',
    summary: 'make a profile the current one',
    args: [['<name>', 'the name of the profile']],
    examples: ['profiles use sandbox'],
    exitCodes: ['3    the profile does not exist'],
    load: async () => (await import('../profile/login.ts')).useProfile,
  },
]
