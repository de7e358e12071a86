// Generates /docs/reference/command-line: every command with its summary and an example, from the tables of the command line.

import type { CommandSpec } from '../packages/cli/src/command.ts'
import { resourceCommands } from '../packages/cli/src/commands/resources/tree.ts'
import { listCommands } from '../packages/cli/src/commands/tree.ts'
import { listTriggers } from '../packages/cli/src/fixtures/catalogue.ts'
import { apiExitCodeTexts, exitCodeTexts } from '../packages/cli/src/output/exit-codes.ts'
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

const exitCodeRows = [
  ...exitCodeTexts,
  ...apiExitCodeTexts,
  '5    a step failed after earlier steps succeeded',
  '78   the configuration is wrong',
  '130  interrupted by Ctrl-C',
].map((text) => text.split(/(?<=^\d+) +/))

export function commandLinePage(): string {
  const operations = new Set(resourceCommands().map(({ name }) => name))
  const commands = listCommands()
  return `${pageHead('Command line', 'Stream events, trigger sandbox scenarios, and call every API operation from a shell.')}

In a checkout, run each command as \`npx causeway …\`. \`--help\` shows the options, examples and exit codes of a command.

## Stream events

Start the local environment. In two other terminals in the same folder, start a listener and trigger a scenario:

\`\`\`sh
npm start
npx causeway listen
npx causeway trigger deposit.completed
\`\`\`

The listener shows each event, with \`verified\` if its signature is valid. \`listen --forward-to localhost:3000/hooks\` sends the events to your
receiver instead. The command prints the secret that signs them.

- The listener continues from its last position, and sends the events of one end-user in order.
- If the receiver or the server is unavailable, the listener waits and retries. It does not retry after an error status such as 500.
- Resent events, resent deliveries and test events reach the listener. A replay goes only to its endpoint.

## Choose the deployment

A command uses the first of these that is set:

1. \`--base-url\`, with the key on standard input (\`--api-key -\`)
2. \`CAUSEWAY_URL\` and \`CAUSEWAY_API_KEY\`
3. the profile that \`causeway login\` saved
4. the local environment of this folder (\`npm start\`)

\`causeway login --browser\` needs no key. It opens the console, which shows the same code as the terminal and issues a key with the
permissions that you select. Only this computer receives the key, encrypted for the command that waits.

## Use the command line in scripts

Data goes to standard output, and everything else to standard error. With \`--json\`, or when output is not a terminal, data is JSON.

${table(['Exit code', 'Meaning'], exitCodeRows)}

## Trigger a scenario

\`causeway trigger\` takes a scenario or an event type, runs its steps in the sandbox, and waits for the event. A second run uses the existing
end-user and account, and adds only the deposit. \`--set account.externalUserId=ada\` sets a field of a step. \`--edit\` opens the steps in your
editor.

${table(
  ['Scenario', 'Event', 'What happens'],
  listTriggers().map(({ source, event, about }) => [`\`${source}\``, `\`${event?.type}\``, about]),
)}

## Create test data from a file

\`causeway fixtures apply world.yml\` creates the objects that do not exist, and updates fields that differ. A second run prints \`unchanged\`. The
deployment must use the sandbox provider.

\`\`\`yaml
${fixture}
\`\`\`

- An end-user is identified by \`externalUserId\`, and an account by its end-user, currency and destination.
- A deposit is identified by its account, sender (default: the name of the step) and amount.
- \`kycStatus\` accepts the terms, submits the data of an example person (or \`kycData\`), and sets the decision of the sandbox.
- \`status\` of a deposit waits for this status. Use a status in which the deposit stays, such as \`completed\` or \`in_review\`.
- \`\${account:id}\` is a field of an earlier step. Write amounts and percentages in quotes.

## Commands

${rowsOf(commands.filter(({ name }) => !operations.has(name)))}

## API operations

Each API operation is a command. Pass its fields with \`--data\` and \`--set field=value\`.

${rowsOf(commands.filter(({ name }) => operations.has(name)))}

## Troubleshooting

- \`causeway doctor\` checks settings, database, provider and pending work.
- Exit code 3: run \`causeway login\`, or run the command in the folder of \`npm start\`.
- “Another \`causeway listen\` already forwards …”: only one process can forward to a URL. Stop the other process, or use another URL.
- To find the request of an API error: \`causeway requests list --request-id req_…\`.
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
