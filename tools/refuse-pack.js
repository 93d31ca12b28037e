// For `prepack` of a folder that is made for work on this repository: what is published is staged elsewhere, by the command named here.

console.error(
  `This folder is not what is published. From the top of the repository: ${process.argv.slice(2).join(' ')}`,
)
process.exitCode = 1
