import type { CrmKind } from '../crm.ts';
import { atMost, exactly, type Figure, plain, type Scenario } from '../figure.ts';
import { spent } from '../measured-sync.ts';
import { measureQuietNight } from '../quiet-night.ts';

/** What a connector asks of its CRM before it reads: who it is. */
const SIGN_IN_CALLS = 1;

export const night = nightIn('salesforce', 'Salesforce');

export const hubspotNight = nightIn('hubspot', 'HubSpot');

function nightIn(kind: CrmKind, name: string): Scenario {
  return {
    name: kind === 'salesforce' ? 'night' : `${kind}-night`,
    title: `a night without changes: 1,000,000 contacts in ${name}, all of them enhanced`,
    measure: () => measureNight(kind),
  };
}

async function measureNight(kind: CrmKind): Promise<Figure[]> {
  const { first, second } = await measureQuietNight(kind, 1_000_000);
  const calls = second.run.calls.crm - SIGN_IN_CALLS;
  return [
    plain('contacts read by the first run', first.run.contacts['read'] ?? 0, ''),
    plain('time of the first run', first.runSeconds, 's'),
    atMost('API calls of the night, sign-in left out', calls, '', 3),
    atMost('time of the night', second.runSeconds, 's', 2),
    exactly('credits of the night', spent(second), '', 0),
    plain('peak resident memory of the night', second.peakMegabytes ?? 0, 'MB'),
  ];
}
