// The generators, each with a program that lists end-users by what it made. Types are checked strictly; Go compiles.

import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Check, document, goPath, inFolder, pythonIn, root, write } from './place.ts'

/** The end-user that each client lists. */
export const externalUserId = 'user-4711'

const openapiTypescript: Check = {
  name: 'openapi-typescript',
  command: 'npx',
  expected: externalUserId,
  async run(place) {
    await mkdir(join(place.folder, 'made'))
    // TypeScript 7 has no interface for programs, which the generator needs.
    const packages = ['--package=openapi-typescript@7.13.0', '--package=typescript@5.9.3']
    const make = ['openapi-typescript', document, '-o', 'made/api.d.ts']
    await inFolder(place, 'npx', '--yes', '--ignore-scripts', ...packages, ...make)
    await write(place, 'list.ts', listByOpenapiTypescript)
    const options = '--noEmit --strict --skipLibCheck --module esnext --moduleResolution bundler --lib esnext,dom'
    await inFolder(place, join(root, 'node_modules/.bin/tsc'), ...options.split(' '), '--types', '', 'list.ts')
    return await inFolder(place, process.execPath, 'list.ts', place.baseUrl)
  },
}

const listByOpenapiTypescript = `import type { paths } from './made/api.d.ts'
declare const process: { argv: string[]; env: Record<string, string> }
type Answer = paths['/v0/end-users']['get']['responses'][200]['content']['application/json']
const headers = { authorization: 'Bearer ' + process.env.API_KEY }
const answer = await fetch(process.argv[2] + '/v0/end-users', { headers })
const { data } = (await answer.json()) as Answer
console.log(data.map(({ externalUserId }) => externalUserId).join())
export {}
`

const oapiCodegen: Check = {
  name: 'oapi-codegen',
  command: 'go',
  expected: externalUserId,
  async run(place) {
    await inFolder(place, 'go', 'install', 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2')
    // Pruning takes the headers of webhooks away, which stay in use.
    const make = ['-generate', 'types,client,skip-prune', '-package', 'main', '-o', 'made.go', document]
    await inFolder(place, join(goPath(place), 'bin/oapi-codegen'), ...make)
    await write(place, 'list.go', listByOapiCodegen)
    await inFolder(place, 'go', 'mod', 'init', 'example.com/list')
    await inFolder(place, 'go', 'get', 'github.com/oapi-codegen/runtime@v1.8.0')
    await inFolder(place, 'go', 'mod', 'tidy')
    await inFolder(place, 'go', 'build', '-o', 'list', '.')
    return await inFolder(place, join(place.folder, 'list'), place.baseUrl)
  },
}

const listByOapiCodegen = `package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
)

func main() {
	client, err := NewClientWithResponses(os.Args[1])
	if err != nil {
		panic(err)
	}
	signed := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("API_KEY"))
		return nil
	}
	answer, err := client.ListEndUsersWithResponse(context.Background(), &ListEndUsersParams{}, signed)
	if err != nil {
		panic(err)
	}
	for _, user := range answer.JSON200.Data {
		fmt.Println(user.ExternalUserId)
	}
}
`

const openapiPythonClient: Check = {
  name: 'openapi-python-client',
  command: 'python3',
  expected: externalUserId,
  async run(place) {
    const program = await pythonIn(place, 'openapi-python-client==0.29.1')
    const make = ['generate', '--path', document, '--output-path', 'made', '--meta', 'none']
    await inFolder(place, join(dirname(program), 'openapi-python-client'), ...make)
    await write(place, 'list.py', listByOpenapiPythonClient)
    return await inFolder(place, program, 'list.py', place.baseUrl)
  },
}

const listByOpenapiPythonClient = `import os
import sys

from made import AuthenticatedClient
from made.api.end_users import list_end_users
from made.models import Error

client = AuthenticatedClient(base_url=sys.argv[1], token=os.environ["API_KEY"])
users = list_end_users.sync(client=client)
assert users is not None and not isinstance(users, Error)
print(",".join(user.external_user_id for user in users.data))
`

export const generators: readonly Check[] = [openapiTypescript, oapiCodegen, openapiPythonClient]
