// The planted bugs, by theme. planted-bug.ts describes an entry.

import { databaseBugs } from './bugs/database.ts'
import { deliveryBugs } from './bugs/deliveries.ts'
import { dependencyBugs } from './bugs/dependencies.ts'
import { edgeBugs } from './bugs/edge.ts'
import { eventBugs } from './bugs/events.ts'
import { firstMinutesBugs } from './bugs/first-minutes.ts'
import { isolationBugs } from './bugs/isolation.ts'
import { keyBugs } from './bugs/keys.ts'
import { leaseBugs } from './bugs/leases.ts'
import { listBugs } from './bugs/lists.ts'
import { moneyBugs } from './bugs/money.ts'
import { operationBugs } from './bugs/operations.ts'
import { consoleBugs } from './bugs/pages/console.ts'
import { onboardingBugs } from './bugs/pages/onboarding.ts'
import { shownBugs } from './bugs/pages/shown.ts'
import { provenBugs } from './bugs/proof/proofs.ts'
import { verdictBugs } from './bugs/proof/verdicts.ts'
import { contractBugs } from './bugs/provider/contract.ts'
import { emulatorBugs } from './bugs/provider/emulator.ts'
import { informationRequestBugs } from './bugs/provider/information-requests.ts'
import { relayBugs } from './bugs/relay.ts'
import { sdkBugs } from './bugs/sdk.ts'
import type { PlantedBug } from './planted-bug.ts'

export const bugs: readonly PlantedBug[] = [
  ...eventBugs,
  ...deliveryBugs,
  ...relayBugs,
  ...sdkBugs,
  ...operationBugs,
  ...isolationBugs,
  ...contractBugs,
  ...informationRequestBugs,
  ...databaseBugs,
  ...keyBugs,
  ...leaseBugs,
  ...consoleBugs,
  ...shownBugs,
  ...onboardingBugs,
  ...edgeBugs,
  ...dependencyBugs,
  ...moneyBugs,
  ...listBugs,
  ...firstMinutesBugs,
  ...emulatorBugs,
  ...verdictBugs,
  ...provenBugs,
]
