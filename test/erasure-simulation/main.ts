/**
 * Simulates histories that include the erasure of a person. Each history has a seed. Run `npm run simulate-erasure`.
 */
import '../simulation/takeover.ts';
import { runCommand } from './command.ts';

await runCommand(process.argv.slice(2));
