// For `prepack` of a folder that is made for work on this repository. Stops `npm pack` and `npm publish` there, because the
// published package is staged elsewhere by the command named here. That command may be an npm script called `pack`, before
// which npm runs `prepack`, too: `npm_command` is then `run`, or `run-script` in older versions.

if (!process.env['npm_command']?.startsWith('run')) {
  console.error(
    `This folder is not the published package. Run from the top of the repository: ${process.argv.slice(2).join(' ')}`,
  )
  process.exitCode = 1
}
