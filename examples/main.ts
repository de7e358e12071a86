// `npm run example` runs the story and both scripts of a first deposit against a running service. With `--start`, it starts a
// service and removes it afterwards.

import { runScripts } from './scripts.ts'
import { findService, startService } from './service.ts'
import { story } from './story/story.ts'
import { told } from './story/tell.ts'

export async function main(args: readonly string[]): Promise<number> {
  const begin = performance.now()
  const service = args.includes('--start') ? await startService() : findService()
  try {
    await story(service)
    await runScripts(service)
  } catch (error) {
    console.error('\nThe story broke here:', error)
    return 1
  } finally {
    await service.stop()
  }
  const { chapters, steps } = told()
  const seconds = ((performance.now() - begin) / 1000).toFixed(1)
  console.log(`\nThe story holds: ${chapters} chapters, ${steps} steps, ${seconds} s.`)
  return 0
}

if (import.meta.main) {
  process.exitCode = await main(process.argv.slice(2)).catch((error: Error) => {
    console.error(error.message)
    return 1
  })
}
