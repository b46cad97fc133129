/**
 * Builds the program after `npm ci`. The script does nothing during `npm pack`, because the program was built before
 * the manifest was replaced (`pack.ts`).
 */
import { execSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const isPacking = existsSync(join(import.meta.dirname, '../package.json.kept'));
if (!isPacking) execSync('npm run build', { stdio: 'inherit' });
