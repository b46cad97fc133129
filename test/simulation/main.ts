/** Simulates nights from seeds for a number of minutes, or repeats one night. Run `npm run simulate`. */
import './takeover.ts';
import { runCommand } from './command.ts';

await runCommand(process.argv.slice(2));
