// The `prepack` of the packages: their folder in the checkout is not what users get.
console.error(
  'Build the package, then pack its dist folder: npm run build && npm pack ./dist (npm run release does both).',
)
process.exitCode = 1
