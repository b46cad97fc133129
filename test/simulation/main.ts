/**
 * Simulates nights from seeds for a given number of minutes, or repeats one night. The command is `npm run simulate`.
 */
import './takeover.ts';
import { runCommand } from './command.ts';

await runCommand(process.argv.slice(2));
