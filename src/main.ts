#!/usr/bin/env node
import { nodeProblem } from './node-version.ts';
/**
 * The entry point. The entry point refuses a version of Node that is too old, limits the memory of long-running
 * processes, and then loads donor-sync.
 */
import { keepMemoryFlat } from './process-memory.ts';

const problem = nodeProblem(process.versions.node);
if (problem === null) {
  const { worksLong } = await import('./interfaces/cli/commands.ts');
  if (worksLong(process.argv.slice(2))) keepMemoryFlat(process);
  const { runWired } = await import('./wiring.ts');
  await runWired();
} else {
  process.stderr.write(problem);
  process.exitCode = 2;
}
