/** Tests what a run's page shows about values that users typed while the run was writing. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { openHttpWorld } from './http-world.ts';

const open = closedAfterTest(openHttpWorld);

const startedSchema = z.object({ run: z.object({ id: z.string() }) });
const FIELD = 'Donor Net Worth';

it.each([
  [
    'lost, if the CRM does not accept it back',
    true,
    'the CRM did not accept it when donor-sync tried to restore it. Undo this run',
  ],
  ['restored', false, 'The value was restored at once.'],
])('says whose value it was, and that it is %s', async (_, refuses, text) => {
  const here = await open();
  const ids = await here.addPeople(4);
  const typedInto: string[] = [];
  here.crm.before((operation) => {
    if (operation !== 'write') return;
    if (typedInto.length === 0) {
      for (const id of ids) here.crm.setValue(id, FIELD, 'About two million');
      typedInto.push(...ids);
      return;
    }
    if (refuses) for (const id of ids) here.crm.refuseField(id, FIELD);
  });
  const token = await here.addToken('admin');
  const post = { method: 'POST', token };
  const started = await here.request('/v1/integrations/riverside/runs', post);
  const { id } = started.read(startedSchema).run;
  await here.untilEnded(id);
  const { text: page } = await here.request(`/runs/${id}`, { token });
  expect(page).toContain(FIELD);
  expect(page).toContain('a-user (as the CRM names its user) typed a value');
  expect(page).toContain(text);
  // No page shows the value itself.
  expect(page).not.toContain('About two million');
});
