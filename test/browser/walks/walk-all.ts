/**
 * Simulates the three users in one installation. Robin sets it up, Farah and Dana use it, and Robin recovers her
 * account.
 */
import type { Browser } from 'playwright-core';
import { expect } from 'vitest';
import { MAIL_RULES } from '../../../src/core/mail-kinds.ts';
import { DANA, FARAH, ROBIN } from './accounts.ts';
import * as danaDoes from './dana.ts';
import * as farahDoes from './farah.ts';
import { goal } from './goal.ts';
import * as robinDoes from './robin.ts';
import { comeToVisit, PHONE, type Visitor, type Ways } from './visitor.ts';
import type { WalkWorld } from './walk-world.ts';

/**
 * The number of contacts that the test chooses at random. Farah starts at the first page and opens the introduction of
 * each contact.
 */
const DRAWN = 5;

export async function walkAll(browser: Browser, world: WalkWorld, ways: Ways): Promise<void> {
  const robin = await comeToVisit(browser, world, ways);
  const phone = await comeToVisit(browser, world, { ...ways, userAgent: PHONE });
  await goal('Robin creates her account', () => robinDoes.createAccount(robin, world.signInUrl));
  await goal('Robin sets the address', () => robinDoes.setAddress(robin, phone));
  await goal('Robin sets up a client', () => robinDoes.setUpClient(robin, world));
  expect(await world.control.spent()).toBe(25);
  await goal('Robin sends the rest', () => robinDoes.sendTheRest(robin));
  await goal('Robin decides', () => robinDoes.decide(robin));
  await goal('Robin gets alerts', () => robinDoes.checkAlerts(robin, world));
  const invitations = await goal('Robin invites her colleagues', async () => ({
    farah: await robinDoes.invite(robin, FARAH, 'reader'),
    dana: await robinDoes.invite(robin, DANA, 'admin'),
  }));
  await goal('Robin stays the owner', () => robinDoes.tryToLeave(robin));

  const farah = await comeToVisit(browser, world, ways);
  await goal('Farah joins', () => farahDoes.join(farah, invitations.farah, FARAH));
  await walkFarah(farah, world);

  const dana = await comeToVisit(browser, world, ways);
  await goal('Dana joins', () => farahDoes.join(dana, invitations.dana, DANA));
  await goal('Dana reads the results', () => danaDoes.readResults(dana));
  await goal('Dana chooses a month and prints', () => danaDoes.chooseAndPrint(dana));
  await goal('Dana compares the credits', () => danaDoes.compareCredits(dana));
  await goal('Robin undoes a run', () => robinDoes.undoRun(robin));
  await goal('Robin sees the undo', () => robinDoes.seeUndone(robin, ROBIN));
  await goal('Dana chooses a mail', () =>
    farahDoes.chooseMail(dana, world, { who: DANA, mail: 'Results' }),
  );
  const names = await world.listNames();
  const [name = '', another = ''] = names;
  await goal('Robin enhances a contact', () => robinDoes.enhanceNow(robin, world, another));
  await goal('Robin erases a contact', () => robinDoes.eraseContact(robin, name));
  // An open page would report each request that fails while the service restarts.
  for (const { page } of [farah, dana]) await page.goto('about:blank');
  await goal('Robin recovers her account', () => robinDoes.recover(robin, world));
  await goal('Farah gets and stops the monthly mail', () =>
    farahDoes.readMonthlyMail(farah, world, { who: FARAH, mail: 'Introductions', names }),
  );
  // In the first days of a month, the results of the previous month are not complete yet, so no email is sent.
  if (new Date().getUTCDate() >= MAIL_RULES.results.fromDay) {
    await goal('Dana gets and stops the monthly mail', () =>
      farahDoes.readMonthlyMail(dana, world, { who: DANA, mail: 'Results', names }),
    );
  } else {
    await goal('Dana gets no mail yet, and stops it', () =>
      farahDoes.stopMailEarly(dana, world, { who: DANA, mail: 'Results' }),
    );
  }
}

async function walkFarah(farah: Visitor, world: WalkWorld): Promise<void> {
  const names = await world.listNames();
  await goal('Farah reads whom to call', () => farahDoes.readRanking(farah));
  await goal('Farah filters', () => farahDoes.filterRanking(farah));
  await goal('Farah makes a list', () => farahDoes.makeList(farah));
  await goal('Farah reaches five contacts', async () => {
    const { introduced, others } = await farahDoes.drawContacts(farah, names, DRAWN);
    expect(introduced.length).toBeGreaterThan(0);
    expect(others.length).toBeGreaterThan(0);
    expect(introduced.length + others.length).toBe(DRAWN);
    for (const name of introduced) {
      expect(await farahDoes.reachContact(farah, name)).toContain('can introduce');
    }
    for (const name of others) {
      expect(await farahDoes.reachContact(farah, name)).toContain(
        'donor-sync knows of no network member',
      );
    }
  });
  await goal('Farah reads a contact', () => farahDoes.readContact(farah));
  await goal('Farah asks who knows', () => farahDoes.askWhoKnows(farah));
  await goal('Farah downloads the ranking', () => farahDoes.downloadRanking(farah));
  await goal('Farah chooses a mail', () =>
    farahDoes.chooseMail(farah, world, { who: FARAH, mail: 'Introductions' }),
  );
}
