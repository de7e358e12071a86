// Operations on the people of a business.

import type { Call, Operation } from '../platform/operations.ts'
import type { World } from '../state/world.ts'
import { renderPerson } from './person-record.ts'
import { addPerson, companyOf, personOf, removePerson, updatePerson } from './persons.ts'
import { customerById } from './record.ts'

const collection = '/customers/:customerID/associated_persons'

/** The same person under the company's address, and without it. */
const items = [`${collection}/:associatedPersonID`, '/associated_persons/:associatedPersonID']

const pathOf = (world: World, { param }: Call): [customerId: string, personId: string] => {
  const personId = param('associatedPersonID')
  return [param('customerID') || companyOf(world, personId).id, personId]
}

export const associatedPersonOperations = (world: World): Operation[] => [
  {
    method: 'GET',
    path: collection,
    run: ({ param }) => ({
      data: customerById(world, param('customerID')).persons.map((person) => renderPerson(world, person)),
    }),
  },
  {
    method: 'POST',
    path: collection,
    status: 201,
    run: ({ param, body }) => renderPerson(world, addPerson(world, param('customerID'), body)),
  },
  ...items.flatMap((path): Operation[] => [
    { method: 'GET', path, run: (call) => renderPerson(world, personOf(world, ...pathOf(world, call))) },
    { method: 'PUT', path, run: (call) => renderPerson(world, updatePerson(world, ...pathOf(world, call), call.body)) },
    { method: 'DELETE', path, run: (call) => renderPerson(world, removePerson(world, ...pathOf(world, call))) },
  ]),
]
