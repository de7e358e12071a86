// Generators of Go: what they make compiles.

import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { countIn, document, type Generator, goPath, inFolder, write } from './place.ts'

export const oapiCodegen: Generator = {
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
    const listed = await inFolder(place, join(place.folder, 'list'), place.baseUrl)
    const models = (await readFile(join(place.folder, 'made.go'), 'utf8')).match(/^type \w+ struct/gm)?.length ?? 0
    return { listed, files: 1, models }
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

export const ogen: Generator = {
  name: 'ogen',
  command: 'go',
  async run(place) {
    await write(place, 'ogen.yml', clientAlone)
    await inFolder(place, 'go', 'install', 'github.com/ogen-go/ogen/cmd/ogen@v1.24.0')
    const make = ['--config', 'ogen.yml', '--target', 'made', '--package', 'made', document]
    await inFolder(place, join(goPath(place), 'bin/ogen'), ...make)
    await write(place, 'list.go', listByOgen)
    await inFolder(place, 'go', 'mod', 'init', 'example.com/list')
    await inFolder(place, 'go', 'get', 'github.com/ogen-go/ogen@v1.24.0')
    await inFolder(place, 'go', 'mod', 'tidy')
    await inFolder(place, 'go', 'build', '-o', 'list', '.')
    const listed = await inFolder(place, join(place.folder, 'list'), place.baseUrl)
    return { listed, ...(await countIn(join(place.folder, 'made'), '.go', /^type \w+ struct/gm)) }
  },
}

/** It leaves out `submitKyc`, whose form holds one of several shapes, and says so. */
const clientAlone = `generator:
  features:
    enable: [paths/client]
    disable_all: true
  ignore_not_implemented: [all]
`

const listByOgen = `package main

import (
	"context"
	"fmt"
	"os"

	"example.com/list/made"
)

type keys struct{}

func (keys) BusinessKey(context.Context, made.OperationName) (made.BusinessKey, error) {
	return made.BusinessKey{Token: os.Getenv("API_KEY")}, nil
}

func (keys) OperatorSecret(context.Context, made.OperationName) (made.OperatorSecret, error) {
	return made.OperatorSecret{}, nil
}

func main() {
	client, err := made.NewClient(os.Args[1], keys{})
	if err != nil {
		panic(err)
	}
	answer, err := client.ListEndUsers(context.Background(), made.ListEndUsersParams{})
	if err != nil {
		panic(err)
	}
	list, isList := answer.(*made.EndUserListAnswerHeaders)
	if !isList {
		panic(fmt.Sprintf("%T", answer))
	}
	for _, user := range list.Response.Data {
		fmt.Println(user.ExternalUserId)
	}
}
`
