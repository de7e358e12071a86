// /docs/start/command-line: every command with what it does and an example, from the tables that the command line is made of.

import type { CommandSpec } from '../packages/cli/src/command.ts'
import { resourceCommands } from '../packages/cli/src/commands/resources/tree.ts'
import { listCommands } from '../packages/cli/src/commands/tree.ts'
import { listTriggers } from '../packages/cli/src/fixtures/catalogue.ts'
import { pageHead, table } from './reference-pages.ts'

const fixture = `steps:
  ada:
    endUser: { externalUserId: ada, email: ada@example.com, kycStatus: approved }
  grace:
    endUser: { externalUserId: grace, kycStatus: rejected }
  account:
    virtualAccount:
      externalUserId: \${ada:externalUserId}
      source: { currency: usd }
      destination: { payment_rail: solana, currency: usdc, address: 7VHUFJHWu2CuExkJcJrzhQPJ2oygupTWkL2A2For4BmE }
      developer_fee_percent: '0.5'
  rent:
    deposit: { virtualAccountId: '\${account:id}', amount: '1000.00', status: completed }`

export function commandLinePage(): string {
  const operations = new Set(resourceCommands().map(({ name }) => name))
  const commands = listCommands()
  return `${pageHead('Use the command line', 'See events as they come, play scenarios, and call every operation from a shell.')}

In a checkout every command is \`npx causeway …\`. \`--help\` tells the options, examples and exit codes of each.

## See an event within a minute

Start the local world, and in two other terminals of the same folder a listener and a scenario:

\`\`\`sh
npm start
npx causeway listen
npx causeway trigger deposit.completed
\`\`\`

The listener shows each event and says \`verified\` once its signature was checked. \`listen --forward-to localhost:3000/hooks\` sends the events
to a receiver of yours instead, signed with the secret that it prints. It goes on where it ended, one event of an end-user after the other,
and waits for a receiver or a server that is away. Events, deliveries and tests that are sent on demand reach it; a replay of a range is for
its endpoint alone. What an event was answered is the receiver's affair: a listener does not try again after a status such as 500.

## Choose the deployment

A command talks to what \`--base-url\` with \`--api-key -\` names (the key comes on standard input), else to \`CAUSEWAY_URL\` with
\`CAUSEWAY_API_KEY\`, else to the profile of \`causeway login\`, else to the world of \`npm start\` in this folder.

\`causeway login --browser\` needs no key at hand: the console opens, shows the code that the terminal shows, and issues a key with the
permissions that are ticked. The key comes to this computer alone, encrypted for the command that waits.

## Use it in scripts

Data go to standard output, everything else to standard error. With \`--json\`, and where no terminal reads, the data are JSON. Exit codes: 0
done, 1 refused, 2 wrong use, 3 not signed in, 4 no connection, 5 partly done, 78 wrong settings, 130 ended by Ctrl-C.

## Play a scenario

\`causeway trigger\` takes a scenario or an event type, plays its steps at the sandbox, and waits for the event. End-users and accounts are found
again, so that a second run adds the deposit alone. \`--set account.externalUserId=ada\` sets a field of a step, \`--edit\` opens the steps in your
editor.

${table(
  ['Scenario', 'Event', 'What happens'],
  listTriggers().map(({ source, event, about }) => [`\`${source}\``, `\`${event?.type}\``, about]),
)}

## Make a world from a file

\`causeway fixtures apply world.yml\` makes what is not there and changes what differs; a second time it says \`unchanged\`. It refuses a
deployment without the sandbox.

\`\`\`yaml
${fixture}
\`\`\`

- An end-user is known by \`externalUserId\`, an account by its end-user, currency and destination, a deposit by its account, sender (by default
  the name of the step) and amount.
- \`kycStatus\` accepts the terms, submits the data of an example person (or \`kycData\`) and has the sandbox decide.
- \`status\` of a deposit waits for it. Name one in which the deposit stays, such as \`completed\` or \`in_review\`.
- \`\${account:id}\` is a field of an earlier step. Write amounts and percentages in quotes.

## Commands

${rowsOf(commands.filter(({ name }) => !operations.has(name)))}

## Operations of the API

Each [operation](../reference/operations.md) is a command, its fields come by \`--data\` and \`--set field=value\`.

${rowsOf(commands.filter(({ name }) => operations.has(name)))}

## If it fails

- \`causeway doctor\` looks at settings, database, provider and what waits.
- Exit code 3: \`causeway login\`, or run the command in the folder of \`npm start\`.
- \`Another causeway listen forwards …\`: one process at a time keeps the place of a target. Stop the other, or forward to another address.
- An error of the API names its request: \`causeway requests --request-id req_…\`.
`
}

function rowsOf(commands: readonly CommandSpec[]): string {
  const rows = commands.map(({ name, summary, examples: [example = name] }) => [
    `\`${name}\``,
    summary,
    `\`causeway ${example}\``,
  ])
  return table(['Command', 'What it does', 'Example'], rows)
}
