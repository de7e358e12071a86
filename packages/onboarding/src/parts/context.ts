// What every part of the page may need: the language, and the requests.

import { createContext, useContext } from 'react'
import type { Client } from '../client.ts'
import { en, type Texts } from '../texts/en.ts'

type Shared = { language: string; texts: Texts; business: string; client: Client | null }

export const SharedContext = createContext<Shared>({ language: 'en', texts: en, business: '', client: null })

export const useShared = (): Shared => useContext(SharedContext)
export const useTexts = (): Texts => useContext(SharedContext).texts
