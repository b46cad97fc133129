/**
 * Models the Partner Data Service as its document describes it. A ledger records every credit. The model does not use
 * any code of the product. The numbers in the requests' addresses and employers show who was paid for.
 */
import type { Human, Humans } from '../people/humans.ts';
import type { Random } from '../random.ts';
import type { ServiceHabits } from '../swarm/swarm.ts';
import type { Timeline } from '../timeline.ts';

export interface ServiceRequest {
  method: string;
  /** The path of the request below the service's base URL. */
  path: string;
  key: string;
  body: unknown;
  /** The sender of the request, which the ledger records. */
  sender: string;
  sentAt: number;
}

export interface ServiceAnswer {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

export interface Person {
  tracking_id: string;
  name: { first: string; last: string };
  addresses: readonly string[];
  employers: readonly string[];
}

export interface Job {
  id: string;
  key: string;
  /** The team that owns the service key. */
  team: string;
  person: Person;
  human: Human | undefined;
  /** The time when the request that paid for the job was sent. */
  sentAt: number;
  paidAt: number;
  sender: string;
  fate: 'completed' | 'failed' | 'vanished' | 'wrong person' | 'deceased';
  doneAt: number;
  goneAt: number;
  /**
   * How confident the service is that the profile is the person's. Null if the service does not report its confidence.
   */
  probability: number | null;
}

/** A change of the credits in a bucket. */
export interface Charge {
  at: number;
  key: string;
  bucket: 'enhancements' | 'networks' | 'searches';
  credits: number;
  balance: number;
  sender: string;
}

interface Team {
  enhancements: number;
  networks: number;
  searches: number;
  tokens: number;
  filledAt: number;
}

export interface Network {
  id: string;
  team: string;
  name: string;
  members: Set<string>;
  /** Members that have been paid for and have not been removed. */
  paid: Set<string>;
  /** The members whose removal was requested with a different team's key, which cannot see the network. */
  unreachable: Set<string>;
}

interface BulkAdd {
  id: string;
  doneAt: number;
  added: string[];
  already: string[];
  unpaid: string[];
}

export interface ServiceModel {
  handle(request: ServiceRequest): ServiceAnswer;
  readonly jobs: ReadonlyMap<string, Job>;
  readonly networks: ReadonlyMap<string, Network>;
  readonly charges: readonly Charge[];
  readonly throttled: number;
  balance(key: string): number;
  /** Issues a new key for the team of the given key, or for a new team. */
  issueKey(sameTeamAs: string | null): string;
  /** Returns the name of the team that owns a key. Without a call of `issueKey`, each key has a separate team. */
  teamOf(key: string): string;
  readonly keys: ReadonlySet<string>;
  /** Returns true if the service refuses this person with a 422, which it then does for every request. */
  refuses(human: Human): boolean;
  /** Spends credits as another user. A negative number buys credits. */
  take(key: string, credits: number): void;
  /** Uses the key's whole rate limit, as a different program could do. */
  drain(key: string): void;
}

export interface ServiceDeps {
  timeline: Timeline;
  random: Random;
  humans: Humans;
  habits: ServiceHabits;
  /** Returns true if the service currently has no faults. */
  isWell(): boolean;
  say(who: string, what: string): void;
  /** Called when a submission is charged, with all its jobs. */
  onPaid(jobs: readonly Job[], balance: number): void;
  /** Called when a process reads the balance of its service key. */
  onBalance(sender: string): void;
  /** Called when the service charges for a query. */
  onQuery(sender: string, balance: number): void;
  /** Called for members that have already been paid for and have not been removed. */
  onPaidTwice(members: readonly string[], network: Network): void;
}

/** The ID of the donor whose profile the service returns by mistake. */
export const ANOTHER = 'f'.repeat(32);

/** Returns the net worth of the person with this number, which no other person has. */
export function netWorthOf(number: number): [low: number, high: number] {
  return [(number + 1) * 1_000_000, (number + 1) * 1_000_000 + 500_000];
}

/** The credits for queries that each team has at the start. */
const SEARCHES = 100;

const RATE = 10;
const BURST = 10;
const WEEK_MS = 7 * 86_400_000;

/** The time during which some of the service's machines may not know a new job. */
const YOUNG_MS = 60_000;

export function createServiceModel(deps: ServiceDeps): ServiceModel {
  const { timeline, random, humans, habits, say } = deps;
  const teams = new Map<string, Team>();
  /** The teams to which the issued keys belong. */
  const teamNames = new Map<string, string>();
  const keys = new Set<string>();
  const jobs = new Map<string, Job>();
  const networks = new Map<string, Network>();
  const adds = new Map<string, BulkAdd>();
  const charges: Charge[] = [];
  /** How the service treats a person depends on the person, not on the time of the request. */
  const invalid = new Map<number, boolean>();
  let throttled = 0;
  let lastId = 0;

  return {
    handle,
    jobs,
    networks,
    charges,
    get throttled() {
      return throttled;
    },
    balance: (key) => teamOf(key).enhancements,
    keys,
    teamOf: teamNameOf,
    issueKey(sameTeamAs) {
      const key = `replaced-key-${teamNames.size}`;
      keys.add(key);
      teamNames.set(key, sameTeamAs === null ? key : teamNameOf(sameTeamAs));
      return key;
    },
    refuses: ({ index }) => invalid.get(index) === true,
    take(key, credits) {
      const team = teamOf(key);
      team.enhancements = Math.max(0, team.enhancements - credits);
    },
    drain(key) {
      Object.assign(teamOf(key), { tokens: 0, filledAt: timeline.now() });
    },
  };

  function teamNameOf(key: string): string {
    return teamNames.get(key) ?? key;
  }

  function teamOf(key: string): Team {
    keys.add(key);
    const name = teamNameOf(key);
    let team = teams.get(name);
    if (team === undefined) {
      const { credits } = habits;
      const others = { networks: 5_000, searches: SEARCHES };
      team = { enhancements: credits, ...others, tokens: BURST, filledAt: timeline.now() };
      teams.set(name, team);
    }
    return team;
  }

  function handle(request: ServiceRequest): ServiceAnswer {
    const team = teamOf(request.key);
    const now = timeline.now();
    team.tokens = Math.min(BURST, team.tokens + ((now - team.filledAt) / 1000) * RATE);
    team.filledAt = now;
    if (team.tokens < 1) {
      throttled += 1;
      return answer(429, { detail: 'Too many requests' }, { 'retry-after': '1' });
    }
    team.tokens -= 1;
    const { method, path } = request;
    const route = `${method} ${path}`;
    if (route === 'GET /credits') {
      deps.onBalance(request.sender);
      return answer(200, balances(team));
    }
    if (route === 'GET /openapi.json') return answer(404, { detail: 'Not Found' });
    if (route === 'POST /enhancements') return submit(request, team);
    if (route === 'POST /enhancements/progress/batch') return progress(request);
    if (route === 'POST /enhancements/results/batch') return results(request);
    return networkRoute(request, team) ?? answer(404, null);
  }

  function submit({ key, body, sender, sentAt }: ServiceRequest, team: Team): ServiceAnswer {
    const persons = personsIn(body);
    if (persons.length > 100) return answer(400, { detail: 'Too many items' });
    const bad = persons.flatMap((person, index) => (isInvalid(person) ? index : []));
    if (bad.length > 0) {
      say('the service', `refuses ${bad.length} of ${persons.length} persons of process ${sender}`);
      const detail = bad.map((index) => ({
        type: 'value_error',
        loc: ['body', 'persons', index, 'name'],
        msg: 'Value error',
        input: '',
      }));
      return answer(422, { detail });
    }
    if (team.enhancements === 0) return answer(402, noCredits('enhancements'));
    const most = isPartly() ? random.int(0, persons.length) : persons.length;
    const paid = persons.slice(0, Math.min(most, team.enhancements));
    team.enhancements -= paid.length;
    charges.push({
      ...{ at: timeline.now(), key, bucket: 'enhancements', credits: paid.length, sender },
      balance: team.enhancements,
    });
    const made = paid.map((person) => makeJob(key, person, sender, sentAt));
    say('the service', `takes ${paid.length} credits of process ${sender}: ${namesOf(paid)}`);
    deps.onPaid(made, team.enhancements);
    return answer(202, {
      status: 202,
      message: 'Accepted',
      tracking_id_to_job_id: Object.fromEntries(
        made.map(({ person, id }) => [person.tracking_id, id]),
      ),
      meta: { requested: persons.length, processed: paid.length },
    });
  }

  /**
   * Returns true if the service accepts only a part of this request, and charges only for that part. This happens
   * occasionally.
   */
  function isPartly(): boolean {
    return habits.partly > 0 && !deps.isWell() && random.chance(habits.partly);
  }

  function isInvalid({ name }: Person): boolean {
    const human = humans.byLastName(name.last);
    if (human === undefined) return false;
    const known = invalid.get(human.index) ?? random.chance(habits.invalid);
    invalid.set(human.index, known);
    return known;
  }

  function makeJob(key: string, person: Person, sender: string, sentAt: number): Job {
    lastId += 1;
    const paidAt = timeline.now();
    const doneAt = paidAt + random.int(100, habits.jobMs);
    const fate = fateOfJob();
    const job: Job = {
      id: lastId.toString(16).padStart(32, '0'),
      ...{ key, team: teamNameOf(key), person, sender, sentAt, paidAt, doneAt, fate },
      human: humans.byLastName(person.name.last),
      probability: probabilityOfJob(),
      goneAt: fate === 'vanished' ? paidAt + random.magnitude(1_000, 3_600_000) : paidAt + WEEK_MS,
    };
    jobs.set(job.id, job);
    return job;
  }

  function probabilityOfJob(): number | null {
    if (habits.unsure === 0) return null;
    return random.chance(habits.unsure) ? 0.1 + 0.3 * random.next() : 0.95;
  }

  function fateOfJob(): Job['fate'] {
    if (random.chance(habits.failed)) return 'failed';
    if (random.chance(habits.vanished)) return 'vanished';
    if (random.chance(habits.wrongPerson)) return 'wrong person';
    return random.chance(habits.deceased) ? 'deceased' : 'completed';
  }

  function progress({ key, body }: ServiceRequest): ServiceAnswer {
    const [found, missing] = findJobs(key, idsIn(body, 'job_ids'));
    const states = found.map((job) => [job.id, { progress: stateOf(job), error: errorOf(job) }]);
    return answer(200, {
      ...{ status: 200, message: 'OK' },
      job_id_to_state: Object.fromEntries(states),
      not_found: missing,
    });
  }

  function results({ key, body }: ServiceRequest): ServiceAnswer {
    const ids = idsIn(body, 'job_ids');
    if (ids.length > 10) return answer(400, { detail: 'Too many items' });
    const [found, missing] = findJobs(key, ids);
    const states = found.map((job) => [
      job.id,
      { progress: stateOf(job), error: errorOf(job), result: profileOf(job), ...matchOf(job) },
    ]);
    return answer(200, {
      ...{ status: 200, message: 'OK' },
      job_id_to_state: Object.fromEntries(states),
      not_found: missing,
    });
  }

  function findJobs(key: string, ids: readonly string[]): [Job[], string[]] {
    const now = timeline.now();
    const isThere = (id: string) => {
      const job = jobs.get(id);
      if (job === undefined || job.team !== teamNameOf(key) || now >= job.goneAt) return false;
      const mayBeDenied = habits.denied > 0 && !deps.isWell() && now - job.paidAt < YOUNG_MS;
      return !mayBeDenied || !random.chance(habits.denied);
    };
    const there = new Set(ids.filter(isThere));
    return [[...there].flatMap((id) => jobs.get(id) ?? []), ids.filter((id) => !there.has(id))];
  }

  function stateOf({ doneAt, fate }: Job) {
    if (timeline.now() < doneAt) return { status: 'processing', pct_done: 50 };
    return { status: fate === 'failed' ? 'failed' : 'completed', pct_done: null };
  }

  function errorOf({ doneAt, fate }: Job): string | null {
    return fate === 'failed' && timeline.now() >= doneAt ? 'no such person' : null;
  }

  function matchOf({ probability }: Job) {
    return probability === null ? {} : { match: { probability, reasons: [], runner_up: null } };
  }

  function profileOf({ doneAt, fate, human, person }: Job) {
    if (timeline.now() < doneAt || fate === 'failed') return null;
    const isOther = fate === 'wrong person' || human === undefined;
    return {
      id: isOther ? ANOTHER : human.donorId,
      name: { first: person.name.first, middle: null, last: isOther ? 'Zzyzx' : person.name.last },
      service_url: 'https://partner.example/donors/1',
      // Each value belongs to only one person, so a value shows whose profile it comes from.
      age: 20 + (isOther ? 0 : human.index + 1),
      net_worth_range: netWorthOf(isOther ? 0 : human.index + 1),
      political_stats: { capacity: 1_000 },
      nonprofit_stats: { capacity: 2_000 },
      education: [],
      work: [],
      bio: [],
      is_deceased: fate === 'deceased',
    };
  }

  function networkRoute(request: ServiceRequest, team: Team): ServiceAnswer | null {
    const { method, path, key, body } = request;
    const own = [...networks.values()].filter((each) => each.team === teamNameOf(key));
    if (path === '/networks' && method === 'GET') {
      return answer(200, { networks: own.map(networkRecord) });
    }
    if (path === '/networks' && method === 'POST') {
      const name = String(Reflect.get(Object(body), 'name'));
      if (own.some((network) => network.name === name)) return answer(400, { detail: 'duplicate' });
      lastId += 1;
      const network = {
        id: `n${lastId}`,
        team: teamNameOf(key),
        name,
        members: new Set<string>(),
        paid: new Set<string>(),
        unreachable: new Set<string>(),
      };
      networks.set(network.id, network);
      return answer(201, networkRecord(network));
    }
    const job = /^\/networks\/jobs\/(.+)$/.exec(path)?.[1];
    if (job !== undefined) return bulkAdd(job);
    const donor = /^\/networks\/donors\/([^/?]+)\/connections/.exec(path)?.[1];
    if (donor !== undefined) {
      const isKnown = donor === ANOTHER || humans.byDonorId(donor) !== undefined;
      if (!isKnown) return answer(404, { detail: 'no such donor' });
      const inside = own.filter(({ members }) => members.has(donor));
      return answer(200, {
        donor_id: donor,
        in_network: inside.length > 0,
        networks: inside.map(({ id, name }) => ({ network_id: id, name })),
        connections: [],
      });
    }
    if (path === '/networks/connections' || path === '/networks/discover') {
      const { queryPrice } = habits;
      if (queryPrice > 0) {
        if (team.searches < queryPrice) return answer(402, noCredits('searches'));
        team.searches -= queryPrice;
        const charge = { at: timeline.now(), key, credits: queryPrice, sender: request.sender };
        charges.push({ ...charge, bucket: 'searches', balance: team.searches });
        say('the service', `takes ${queryPrice} credits of process ${request.sender} for a query`);
        deps.onQuery(request.sender, team.searches);
      }
      return answer(200, { prospects: [] });
    }
    const [, id = '', what] =
      /^\/networks\/([^/]+)(\/members\/batch|\/members\/remove)?$/.exec(path) ?? [];
    const network = own.find((each) => each.id === id);
    if (network === undefined) {
      const unseen = what === '/members/remove' ? idsIn(body, 'donor_ids') : [];
      for (const donorId of unseen) networks.get(id)?.unreachable.add(donorId);
      return answer(404, { detail: 'no such network' });
    }
    if (what === '/members/batch') return addMembers(request, team, network);
    if (what === '/members/remove') {
      for (const donorId of idsIn(body, 'donor_ids')) {
        network.members.delete(donorId);
        network.paid.delete(donorId);
      }
      return answer(204, null);
    }
    if (method === 'PUT') {
      network.name = String(Reflect.get(Object(body), 'name'));
      return answer(204, null);
    }
    return null;
  }

  function addMembers(
    { body, key, sender }: ServiceRequest,
    team: Team,
    network: Network,
  ): ServiceAnswer {
    const ids = idsIn(body, 'donor_ids');
    if (team.networks === 0) return answer(402, noCredits('networks'));
    const paid = ids.slice(0, team.networks);
    team.networks -= paid.length;
    charges.push({
      ...{ at: timeline.now(), key, bucket: 'networks', credits: paid.length, sender },
      balance: team.networks,
    });
    say('the service', `takes ${paid.length} credits of process ${sender} for members`);
    const again = paid.filter((id) => network.paid.has(id));
    if (again.length > 0) deps.onPaidTwice(again, network);
    for (const id of paid) network.paid.add(id);
    lastId += 1;
    const doneAt = timeline.now() + random.int(100, habits.jobMs);
    const already = paid.filter((id) => network.members.has(id));
    const added = paid.filter((id) => !network.members.has(id));
    const add = { id: `a${lastId}`, doneAt, added, already, unpaid: ids.slice(paid.length) };
    adds.set(add.id, add);
    timeline.after(doneAt - timeline.now(), () => {
      for (const id of added) network.members.add(id);
    });
    return answer(202, { job_id: add.id });
  }

  function bulkAdd(id: string): ServiceAnswer {
    const add = adds.get(id);
    if (add === undefined) return answer(404, { detail: 'no such job' });
    const isDone = timeline.now() > add.doneAt;
    return answer(200, {
      job_id: id,
      status: isDone ? 'completed' : 'processing',
      results: isDone
        ? { added_ids: add.added, already_member_ids: add.already, unpaid_ids: add.unpaid }
        : null,
    });
  }

  function answer(
    status: number,
    body: unknown,
    headers: Record<string, string> = {},
  ): ServiceAnswer {
    const date = new Date(timeline.now()).toUTCString();
    return { status, body, headers: { date, 'content-type': 'application/json', ...headers } };
  }
}

function balances({ enhancements, networks, searches }: Team) {
  return { donors: 100, enhancements, exports: 100, lists: 100, networks, searches };
}

function noCredits(bucket: string) {
  const message = 'No credits are left';
  return { error: 'insufficient_partner_api_credits', message, bucket, available_credits: 0 };
}

function networkRecord({ id, name, members }: Network) {
  return { network_id: id, name, color: 'teal', member_count: members.size };
}

export function personsIn(body: unknown): Person[] {
  const persons: unknown = Reflect.get(Object(body), 'persons');
  return Array.isArray(persons) ? persons : [];
}

/** Returns the people in a request whom this response refuses. */
export function refusedIn(request: unknown, answer: unknown): Person[] {
  const items: unknown = Reflect.get(Object(answer), 'detail');
  if (!Array.isArray(items)) return [];
  const persons = personsIn(request);
  return items.flatMap((item) => persons[Number(Reflect.get(Object(item), 'loc')?.[2])] ?? []);
}

function idsIn(body: unknown, name: string): string[] {
  const list: unknown = Array.isArray(body) ? body : Reflect.get(Object(body), name);
  return Array.isArray(list) ? list.map(String) : [];
}

function namesOf(persons: readonly Person[]): string {
  return persons.map(({ name }) => name.last).join(', ');
}
