// Verifiers of Standard Webhooks in other languages, each with a program that verifies a webhook of Causeway.

import { join } from 'node:path'
import { type Check, inFolder, pythonIn, write } from './place.ts'

/** Every verifier prints this: it accepts the webhook as it was sent, and refuses a changed body. */
const verified = 'accepted, then refused'

const python: Check = {
  name: 'standardwebhooks (Python)',
  command: 'python3',
  expected: verified,
  async run(place) {
    const program = await pythonIn(place, 'standardwebhooks==1.1.0')
    await write(place, 'verify.py', verifyInPython)
    return await inFolder(place, program, 'verify.py')
  },
}

const verifyInPython = `import json

from standardwebhooks import Webhook, WebhookVerificationError

with open("webhook.json") as file:
    sent = json.load(file)
verifier = Webhook(sent["secret"])
outcomes = []
for body in (sent["body"], sent["body"] + " "):
    try:
        verifier.verify(body, sent["headers"])
        outcomes.append("accepted")
    except WebhookVerificationError:
        outcomes.append("refused")
print(", then ".join(outcomes))
`

const go: Check = {
  name: 'standard-webhooks (Go)',
  command: 'go',
  expected: verified,
  async run(place) {
    await write(place, 'verify.go', verifyInGo)
    await inFolder(place, 'go', 'mod', 'init', 'example.com/verify')
    await inFolder(place, 'go', 'get', 'github.com/standard-webhooks/standard-webhooks/libraries@v0.0.1')
    await inFolder(place, 'go', 'build', '-o', 'verify', '.')
    return await inFolder(place, join(place.folder, 'verify'))
  },
}

const verifyInGo = `package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

func main() {
	var sent struct {
		Body, Secret string
		Headers      map[string]string
	}
	content, err := os.ReadFile("webhook.json")
	if err == nil {
		err = json.Unmarshal(content, &sent)
	}
	if err != nil {
		panic(err)
	}
	verifier, err := standardwebhooks.NewWebhook(sent.Secret)
	if err != nil {
		panic(err)
	}
	header := http.Header{}
	for name, value := range sent.Headers {
		header.Set(name, value)
	}
	outcome := func(body string) string {
		if verifier.Verify([]byte(body), header) != nil {
			return "refused"
		}
		return "accepted"
	}
	fmt.Println(outcome(sent.Body) + ", then " + outcome(sent.Body+" "))
}
`

export const verifiers: readonly Check[] = [python, go]
