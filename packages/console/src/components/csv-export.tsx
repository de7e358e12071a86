// Saves a list as a file, page after page, however long it is; says how far it is, and can be stopped.

import { Download, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { forSpreadsheets } from './lists/spreadsheet.ts'
import { titleOf } from './states.tsx'
import { toast } from './toasts.tsx'
import { Button } from './ui/button.tsx'

type Props = {
  fileName: string
  /** The parts of the file, in their order. */
  read: (signal: AbortSignal) => AsyncIterable<string>
}

export function CsvExport({ fileName, read }: Props) {
  const [readChars, setReadChars] = useState<number | null>(null)
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])
  const begin = async () => {
    const stop = new AbortController()
    running.current = stop
    setReadChars(0)
    try {
      const file = await collect(forSpreadsheets(read(stop.signal)), setReadChars)
      if (!stop.signal.aborted) save(file, fileName)
    } catch (failure) {
      if (!stop.signal.aborted) toast.error(`The export ended early: ${titleOf(failure)}`)
    } finally {
      setReadChars(null)
    }
  }
  if (readChars === null)
    return (
      <Button onClick={() => void begin()}>
        <Download /> Export CSV
      </Button>
    )
  return (
    <span className="inline-flex items-center gap-2" role="status">
      <span className="text-soft tabular-nums">{Math.ceil(readChars / 1024)} kB read</span>
      <Button size="sm" onClick={() => running.current?.abort()}>
        <X /> Stop
      </Button>
    </span>
  )
}

/** The browser keeps large files on disk: the parts of a blob are joined to a blob as they come. */
async function collect(parts: AsyncIterable<string>, onRead: (chars: number) => void): Promise<Blob> {
  const type = 'text/csv;charset=utf-8'
  let file = new Blob([], { type })
  let chars = 0
  for await (const part of parts) {
    file = new Blob([file, part], { type })
    chars += part.length
    onRead(chars)
  }
  return file
}

const keptMs = 60_000

function save(file: Blob, name: string): void {
  const address = URL.createObjectURL(file)
  const link = Object.assign(document.createElement('a'), { href: address, download: name })
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), keptMs)
}
