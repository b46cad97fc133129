/** Checks whether the CRM's pages can call this installation. */

import type { Finding } from '../../../connectors/contract.ts';
import { plain } from '../../../connectors/findings/findings.ts';
import { DOORS } from '../../../connectors/index.ts';
import type { TimedReader } from '../../database/reader.ts';
import { readAddresses } from '../../people/server-address.ts';
import { findDoorApp } from '../../settings/door-app.ts';
import { hasOwnUrl, type Settings } from '../../settings/settings.ts';
import { met, unmet } from './checks.ts';

/** Returns one finding for each app in the settings. */
export async function checkDoors(settings: Settings, reader: TimedReader): Promise<Finding[]> {
  const apps = DOORS.filter(({ kind }) => findDoorApp(settings, kind) !== null);
  if (apps.length === 0) return [];
  const { publicUrl } = settings.server;
  const own = { publicUrl, hasOwnUrl: hasOwnUrl(settings.server) };
  const { url } = await readAddresses(reader, own);
  return apps.map(({ name }) =>
    plain(
      url.startsWith('https://')
        ? met(
            'card',
            `${name} calls the card's address, which is an https address. Open the card once to see whether ${name} reaches it.`,
          )
        : unmet(
            'card',
            `${name} calls only https addresses, and the address of this installation is not one, so there is no card.`,
            'Set server.publicUrl to an https address, or confirm an https address under Users → Address.',
          ),
    ),
  );
}
