/** Tests the findings of `doctor` about the card in the CRM. */
import { expect, it } from 'vitest';
import { checkDoors } from '../../../src/operations/doctor/check-doors.ts';
import { settingsSchema } from '../../../src/settings/settings-schema.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { openHttpWorld } from '../../interfaces/api/http-world.ts';

const open = closedAfterTest(openHttpWorld);

it('says that there is no card without an https address, and nothing without an app', async () => {
  const { application } = await open({ isIdle: true });
  const { reader } = application.store;
  const check = (publicUrl: string, appId: number | null) => {
    const hubspot = { appId, clientSecret: 'secret' };
    const settings = settingsSchema.parse({ server: { publicUrl }, hubspot, integrations: [] });
    return checkDoors(
      { ...application.settings, ...settings, path: 'x', integrations: [] },
      reader,
    );
  };
  expect(await check('http://sync.example.org', null)).toEqual([]);
  expect(await check('http://sync.example.org', 5)).toMatchObject([{ subject: 'card', ok: false }]);
  expect(await check('https://sync.example.org', 5)).toMatchObject([{ subject: 'card', ok: true }]);
});
