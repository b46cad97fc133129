/** Robin sets up a client, undoes a run and erases a contact, although her session ends before every submit. */
import { expect, it } from 'vitest';
import { FARAH, ROBIN } from './accounts.ts';
import { endBeforeEachSubmit } from './ended-sessions.ts';
import { chooseMail } from './farah.ts';
import { goal } from './goal.ts';
import { openWalks } from './open-walks.ts';
import * as robinDoes from './robin.ts';
import { AT_A_DESK, comeToVisit, PHONE } from './visitor.ts';

const TIMEOUT_MS = 600_000;
const walks = openWalks(TIMEOUT_MS);

it(
  'leads to all goals if the session ends before every submit; a save is repeated, anything else needs a new click',
  async () => {
    const world = await walks.open('csv');
    const browser = walks.browser();
    const phone = await comeToVisit(browser, world, { ...AT_A_DESK, userAgent: PHONE });
    const ended = endBeforeEachSubmit(await comeToVisit(browser, world, AT_A_DESK), ROBIN);
    const { visitor: robin } = ended;
    await goal('Robin creates her account', () => robinDoes.createAccount(robin, world.signInUrl));
    // Before the account exists, no session can end.
    ended.start();
    await goal('Robin sets the address', () => robinDoes.setAddress(robin, phone));
    await goal('Robin sets up a client', () => robinDoes.setUpClient(robin, world));
    expect(await world.control.spent()).toBe(25);
    await goal('Robin sends the rest', () => robinDoes.sendTheRest(robin));
    await goal('Robin decides', () => robinDoes.decide(robin));
    await goal('Robin gets alerts', () => robinDoes.checkAlerts(robin, world));
    await goal('Robin undoes a run', () => robinDoes.undoRun(robin));
    await goal('Robin sees the undo', () => robinDoes.seeUndone(robin, ROBIN));
    const [name = '', another = ''] = await world.listNames();
    await goal('Robin enhances a contact', () => robinDoes.enhanceNow(robin, world, another));
    await goal('Robin chooses a mail', () =>
      chooseMail(robin, world, { who: ROBIN, mail: 'Results' }),
    );
    await goal('Robin erases a contact', () => robinDoes.eraseContact(robin, name));
    await goal('Robin invites a colleague', () => robinDoes.invite(robin, FARAH, 'reader'));
    const { repeated, pressedAgain } = ended;
    expect([...repeated]).toEqual(expect.arrayContaining(['Begin', 'Save and continue']));
    for (const label of ['Undo run', 'Erase this contact', 'Invite', 'Test the key']) {
      expect([...pressedAgain], label).toContain(label);
      expect([...repeated], label).not.toContain(label);
    }
    for (const label of repeated) expect(label).not.toMatch(/^(Try it|Send the rest)/);
  },
  TIMEOUT_MS,
);
