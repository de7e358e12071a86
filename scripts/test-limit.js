// Ends a file of tests that is still alive after `?ms=` milliseconds, and says what holds it. The runner's own time-out
// ends tests, not a file whose tests are over and which left something open.
const limitMs = Number(new URL(import.meta.url).searchParams.get('ms'))

const end = () => {
  const open = process.getActiveResourcesInfo().join(', ')
  console.error(`${process.argv[1]} is still alive after ${limitMs / 1000} s, held by: ${open}`)
  process.exit(1)
}
// The runner, which reads this as well, has all the time that its files take.
if (process.env.NODE_TEST_CONTEXT) setTimeout(end, limitMs).unref()
