/** Checks where the database key comes from. */
import { stat } from 'node:fs/promises';
import type { Finding } from '../../../connectors/contract.ts';
import { plain } from '../../../connectors/findings/findings.ts';
import { CAUSES } from './causes.ts';
import { met, unmet } from './checks.ts';

/** The permission bits of all users except the file's owner. */
const OTHERS = 0o077;

export async function checkSecretKey(file: string | null): Promise<Finding> {
  if (file === null) {
    return plain(met('secret key', 'The key comes from DONOR_SYNC_SECRET_KEY.'));
  }
  const mode = await readMode(file);
  if (mode !== null && (mode & OTHERS) !== 0) {
    const others = 'Other users of this machine can open the key file';
    const message = `${others} ${file} (mode ${mode.toString(8)}).`;
    const finding = unmet('secret key', message, `chmod 600 ${file}`, CAUSES.keyFile);
    return { ...finding, report: `${others} (mode ${mode.toString(8)}).` };
  }
  const finding = met(
    'secret key',
    `The key is in ${file}, next to the database that it protects.`,
    'A copy of the folder contains both. Put the key into DONOR_SYNC_SECRET_KEY and remove the file.',
  );
  return { ...finding, report: 'The key is in a file next to the database that it protects.' };
}

async function readMode(file: string): Promise<number | null> {
  if (process.platform === 'win32') return null;
  const found = await stat(file).catch(() => null);
  return found && found.mode & 0o777;
}
