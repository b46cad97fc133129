/** `npm run simulate-erasure`: plays histories around the erasure of a person, from seeds. */
import '../simulation/takeover.ts';
import { runCommand } from './command.ts';

await runCommand(process.argv.slice(2));
