/**
 * Simulates histories that include the erasure of a person, each from its own seed. The command is `npm run
 * simulate-erasure`.
 */
import '../simulation/takeover.ts';
import { runCommand } from './command.ts';

await runCommand(process.argv.slice(2));
