/** Simulates users who work in the CRMs and spend credits elsewhere while hosts sync. */

import type { SimulatedCrm } from '../crm/crm.ts';
import { hasErased } from '../crm/family.ts';
import { DONOR_ID, MAPPINGS, TYPED } from '../crm/fields.ts';
import type { Record_ } from '../crm/record.ts';
import type { Rule } from '../crm/refusals.ts';
import type { Oracle } from '../judges/credits/oracle.ts';
import type { Random } from '../random.ts';
import type { ServiceModel } from '../service/service.ts';
import type { Swarm } from '../swarm/swarm.ts';
import type { Timeline } from '../timeline.ts';
import { type Humans, SPELLINGS } from './humans.ts';

/** Records which cases the simulated nights have covered. */
export interface Coverage {
  point(name: string): void;
  kill(point: string): void;
  fault(fault: string, endpoint: string): void;
  /** Records that the simulated night has covered a special event. */
  reached(event: string): void;
  /** Records that judges of the simulated night have looked at a subject. */
  looked(subject: string, judges: ReadonlySet<string>): void;
  /** Records how many submissions of a key were open, or were settled, at the same time. */
  together(what: 'open' | 'lost', submissions: number): void;
}

export interface PeopleDeps {
  random: Random;
  timeline: Timeline;
  humans: Humans;
  crms: ReadonlyMap<string, SimulatedCrm>;
  swarm: Swarm;
  oracle: Oracle;
  service: ServiceModel;
  say(who: string, what: string): void;
}

export interface People {
  /** Lets users work until the end of a session, but at most for a few minutes. */
  work(end: Promise<void>): Promise<void>;
  /** Called when a request to the service has failed. Others may then spend or buy credits. */
  onFault(fault: string, endpoint: string): void;
  /**
   * Called when a process knows that the response to a submission is lost. Others may then buy as many credits as the
   * submission cost.
   */
  onGivenUp(sender: string, sentAt: number): void;
  /** Others have bought or spent credits since a backup. */
  spendSince(what: 'top-up' | 'spending'): void;
  /** Restores access and credits that were removed. */
  makeWell(): void;
}

const BUSY_MS = 5 * 60_000;

/** Returns the last digit of the first number in a string, or -1 if there is none. */
function lastDigitOfFirst(text: string): number {
  return Number(/\d+/.exec(text)?.[0].at(-1) ?? -1);
}

export function createPeople(deps: PeopleDeps): People {
  const { random, timeline, humans, crms, swarm, oracle, service, say } = deps;
  const { people } = swarm;
  let isWell = false;

  return {
    async work(end) {
      for (const crm of crms.values()) planEdits(crm);
      planSpending();
      await end;
    },
    onFault(fault, endpoint) {
      if (endpoint !== 'POST /enhancements' || fault !== 'lost answer') return;
      const { buyer, otherSpender } = swarm.service;
      const soonMs = () => random.int(0, swarm.settings.settleAfterMs);
      if (buyer > 0 && random.chance(buyer)) {
        // If others bought as many credits as the response cost, the purchase would hide the cost.
        timeline.after(soonMs(), () => takeElsewhere(-random.int(100, 200)));
      }
      if (otherSpender === 0 || !random.chance(0.5)) return;
      timeline.after(soonMs(), spendElsewhere);
    },
    onGivenUp(sender, sentAt) {
      const { hidingBuyer } = swarm.service;
      if (hidingBuyer === 0 || !random.chance(hidingBuyer)) return;
      const cost = oracle.payments.filter(
        ({ job }) => job.sender === sender && job.sentAt === sentAt,
      ).length;
      if (cost === 0) return;
      timeline.after(random.int(0, swarm.service.submitMs), () => takeElsewhere(-cost));
    },
    spendSince(what) {
      // If others bought as many credits as a lost part of the journal shows, nothing would reveal that it is lost.
      takeElsewhere(what === 'top-up' ? -random.int(100, 200) : random.int(1, 10));
    },
    makeWell() {
      isWell = true;
      for (const crm of crms.values()) {
        crm.rule = null;
        crm.locked.clear();
        crm.narrow.clear();
        for (const record of crm.living()) if (record.isVanished) crm.appear(record);
        for (const source of crm.hidden) crm.show(source);
      }
      // If credits are plentiful, only submissions may change the balance, because the balance proves what was lost.
      if (swarm.service.credits > 1_000) return;
      const teams = new Map([...service.keys].map((key) => [service.teamOf(key), key]));
      for (const key of ['partner-key-0', 'partner-key-1']) teams.set(key, key);
      for (const key of teams.values()) service.take(key, -20_000);
    },
  };

  function planEdits(crm: SimulatedCrm): void {
    for (const record of crm.living()) {
      plan(people.move, record, 'moves', () =>
        crm.change(record, (each) => {
          each.details = { ...each.details, address: humans.address() };
        }),
      );
      plan(people.moveBack, record, 'has moved back', () => {
        const before = record.history.at(-1);
        // The address is new, so no other person has lived there.
        if (before !== undefined && record.former.length === 0) {
          crm.change(record, (each) => {
            each.details = before;
          });
        }
      });
      plan(people.newJob, record, 'has a new employer', () =>
        crm.change(record, (each) => {
          each.details = { ...each.details, employer: humans.employer() };
        }),
      );
      plan(people.respell, record, 'is spelled in another way', () =>
        crm.change(record, (each) => {
          const { address } = each.details;
          const spelling = (address.spelling + random.int(1, SPELLINGS - 1)) % SPELLINGS;
          each.details = { ...each.details, address: { ...address, spelling } };
        }),
      );
      plan(people.type, record, 'gets a value typed by a person', () => {
        const field = random.one(MAPPINGS)?.to ?? '';
        crm.type(record, field, random.chance(0.2) ? null : TYPED);
      });
      plan(people.optOut, record, 'opts out', () =>
        crm.change(record, (each) => {
          each.optedOutAt ??= timeline.now();
          planReturn(crm, record, 20_000);
        }),
      );
      plan(people.doNotContact, record, 'is marked or unmarked as wanting no contact', () =>
        crm.change(record, (each) => {
          each.doNotContactAt = each.doNotContactAt === null ? timeline.now() : null;
        }),
      );
      plan(people.remove, record, 'is deleted', () => {
        crm.remove(record, null);
        planReturn(crm, record, 20_000);
      });
      plan(people.merge, record, 'is merged', () => merge(crm, record));
      plan(people.become, record, 'is renamed to another human being', () =>
        crm.become(record, humans.another(), humans.details()),
      );
      plan(people.vanish, record, 'cannot be seen any more', () => {
        crm.vanish(record);
        timeline.after(random.int(0, BUSY_MS), () => {
          if (record.isVanished) crm.appear(record);
        });
      });
    }
    planRule(crm);
    planFields(crm);
    for (const record of people.mergeErased > 0 ? crm.living() : []) {
      if (!hasErased(crm, record)) continue;
      plan(people.mergeErased, record, 'is merged', () => merge(crm, record));
    }
    for (const record of crm.records.values()) {
      if (record.gone !== null || record.optedOutAt !== null) planReturn(crm, record, BUSY_MS);
    }
    if (random.chance(people.create)) {
      const count = random.int(1, 3);
      for (let index = 0; index < count; index += 1) {
        timeline.after(random.int(0, BUSY_MS), () => {
          const record = crm.add(humans.another(), humans.details());
          crm.groups.get('board')?.add(record.id);
          say(`contact ${record.id}`, 'is new');
        });
      }
    }
    if (random.chance(people.revoke)) {
      const source = random.pick(['address', 'employer']);
      timeline.after(random.int(0, 60_000), () => {
        if (isWell) return;
        const isHidden = crm.hidden.has(source);
        say(
          `the ${source}`,
          `of all contacts of ${crm.name} ${isHidden ? 'can' : 'cannot'} be read`,
        );
        if (isHidden) crm.show(source);
        else crm.hide(source);
      });
    }
  }

  /** Plans a validation rule that appears, and disappears after some time or at the end of the session. */
  function planRule(crm: SimulatedCrm): void {
    if (people.rule === 0 || isWell) return;
    crm.rule = null;
    if (!random.chance(people.rule)) return;
    const fields = random.pick<Rule['fields']>([
      ['Net Worth'],
      ['Age'],
      [DONOR_ID],
      ['Net Worth', 'Age'],
    ]);
    const isStrict = random.chance(0.2);
    const isNamed = random.chance(0.7);
    const digit = random.int(0, 9);
    timeline.after(random.int(0, 20_000), () => {
      if (isWell) return;
      const what = `${isStrict ? 'all' : 'some'} values of ${fields.join(' with ')}`;
      say('a rule', `of ${crm.name} refuses ${what}${isNamed ? '' : ', and names no field'}`);
      crm.rule = {
        ...{ fields, isNamed },
        isRefused: (value) =>
          isStrict || (value !== null && lastDigitOfFirst(String(value)) === digit),
      };
    });
  }

  /**
   * Plans changes to fields. A permission is withdrawn and restored, or a field is shortened and lengthened again.
   * Some changes end only in the period without faults.
   */
  function planFields(crm: SimulatedCrm): void {
    if (isWell) return;
    for (const [what, probability, fields] of [
      ['may not be written', people.lock, crm.locked],
      ['is too short', people.narrow, crm.narrow],
    ] as const) {
      fields.clear();
      if (!random.chance(probability)) continue;
      const field = random.pick([DONOR_ID, 'Net Worth', 'Age']);
      timeline.after(random.int(0, 20_000), () => {
        if (isWell) return;
        say(`the field ${field}`, `of ${crm.name} ${what}`);
        fields.add(field);
      });
      if (!random.chance(0.5)) continue;
      timeline.after(random.int(20_000, BUSY_MS), () => {
        say(`the field ${field}`, `of ${crm.name} is as it was`);
        fields.delete(field);
      });
    }
  }

  function plan(probability: number, record: Record_, what: string, act: () => void): void {
    if (!random.chance(probability)) return;
    timeline.after(random.int(0, random.chance(0.5) ? 20_000 : BUSY_MS), () => {
      if (record.gone !== null) return;
      say(`contact ${record.id}`, what);
      act();
    });
  }

  /** Plans the return of a deleted contact, or a new opt-in after an opt-out. */
  function planReturn(crm: SimulatedCrm, record: Record_, withinMs: number): void {
    timeline.after(random.int(0, withinMs), () => {
      const { gone, id, optedOutAt, isObjecting } = record;
      if (gone === null && optedOutAt !== null && !isObjecting && random.chance(people.optIn)) {
        say(`contact ${id}`, 'opts in again');
        crm.change(record, (each) => {
          each.optedOutAt = null;
        });
      } else if (gone?.mergedInto === null && random.chance(people.comeBack)) {
        say(`contact ${id}`, 'is put back');
        crm.putBack(record);
      }
    });
  }

  function merge(crm: SimulatedCrm, loser: Record_): void {
    const twin = crm.living().find((each) => each !== loser && each.human === loser.human);
    const winner =
      twin ?? crm.add(loser.human, random.chance(0.5) ? loser.details : humans.details());
    say(`contact ${loser.id}`, `becomes a part of ${winner.id}`);
    crm.remove(loser, winner.id);
  }

  function planSpending(): void {
    if (!random.chance(swarm.service.otherSpender)) return;
    const times = random.int(1, 6);
    for (let index = 0; index < times; index += 1) {
      // If the client has a credit reserve, this happens soon, while the first jobs run.
      const withinMs = swarm.settings.keep > 0 ? 60_000 : BUSY_MS;
      timeline.after(random.int(0, withinMs), spendElsewhere);
    }
  }

  function spendElsewhere(): void {
    takeElsewhere(random.chance(0.2) ? -random.int(1, 50) : random.int(1, 10));
  }

  function takeElsewhere(credits: number): void {
    say(
      'another user',
      credits < 0 ? `buys ${-credits} credits` : `spends ${credits} credits elsewhere`,
    );
    service.take('partner-key-0', credits);
    oracle.onSpentElsewhere(credits);
  }
}
