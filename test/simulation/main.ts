/** `npm run simulate`: nights from seeds, for so many minutes, or one of them again. */
import './takeover.ts';
import { runCommand } from './command.ts';

await runCommand(process.argv.slice(2));
