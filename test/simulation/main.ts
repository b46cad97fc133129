/** `npm run simulate`: plays nights from seeds for a number of minutes, or one of these nights again. */
import './takeover.ts';
import { runCommand } from './command.ts';

await runCommand(process.argv.slice(2));
