// Stops `npm pack` and `npm publish` in a folder whose published package is staged elsewhere. It is the `prepack`
// script of that folder, and its arguments are the right command. npm also runs `prepack` before an npm script that is
// called `pack`. `npm_command` is then `run`, or `run-script` in older versions, and this program does nothing.

if (!process.env['npm_command']?.startsWith('run')) {
  console.error(
    `This folder is not the published package. Run from the top of the repository: ${process.argv.slice(2).join(' ')}`,
  )
  process.exitCode = 1
}
