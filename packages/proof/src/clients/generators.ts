// The generators, each with a program that lists end-users by what it made. Types are checked strictly; Go compiles.

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { document, type Generator, goPath, inFolder, root, write } from './place.ts'

const openapiTypescript: Generator = {
  name: 'openapi-typescript',
  command: 'npx',
  async run(place) {
    await mkdir(join(place.folder, 'made'), { recursive: true })
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

const oapiCodegen: Generator = {
  name: 'oapi-codegen',
  command: 'go',
  async run(place) {
    await mkdir(place.folder, { recursive: true })
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

export const generators: readonly Generator[] = [openapiTypescript, oapiCodegen]
