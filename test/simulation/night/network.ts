/**
 * Handles each request from a process to the service, notifies the other parts of the simulation, and produces the
 * faults of that moment.
 */
import { type Disturbed, setClock } from '../faults/chaos.ts';
import { refusedIn, type ServiceAnswer, type ServiceRequest } from '../service/service.ts';
import type { WireDeps } from '../service/wire.ts';
import type { Night } from './world.ts';

export function createNetwork(night: Night, disturbed: Disturbed): WireDeps {
  const { swarm, timeline, store, service, oracle, people, coverage, roster } = night;
  const { random, fates, faults, say, violate } = night;
  const { births } = roster;
  return {
    ...{ timeline, random: random.split('wire'), service, faults, say },
    quietMs: swarm.settings.settleAfterMs,
    submitMs: swarm.service.submitMs,
    onSend(request: ServiceRequest, endpoint: string) {
      const { sender } = request;
      if (endpoint === 'POST /enhancements') oracle.onSubmit(request);
      // While a response is on its way, the database can become unavailable.
      if (endpoint === 'POST /enhancements' && fates.chance(faults().databaseAway * 0.2)) {
        timeline.after(fates.int(0, 400), () => store.goAway(fates.magnitude(50, 40_000)));
      }
      const { newerSince } = store;
      if (newerSince !== null && (births.get(sender) ?? 0) > newerSince) {
        const what = `process ${sender} is older than the database and sends ${endpoint}`;
        violate('the right version', what);
      }
      const replacedAt = store.replacedAt(sender);
      if (endpoint !== 'POST /enhancements' || replacedAt === null) return;
      // A process must not spend credits if it cannot record the spending.
      if (replacedAt < timeline.now()) {
        violate('the right store', `process ${sender} spends into a file that was replaced`);
      }
    },
    onFault(fault: string, endpoint: string) {
      coverage.fault(fault, endpoint);
      people.onFault(fault, endpoint);
      const isUnderWay = fault === 'late request' || fault === 'overtaken';
      if (isUnderWay && fates.chance(faults().clockJump)) {
        timeline.after(fates.int(0, 400), () => setClock(disturbed, fates));
      }
    },
    onAnswered: (request: ServiceRequest, { body, status }: ServiceAnswer, givenAt: number) => {
      const { path, sender, sentAt } = request;
      if (path === '/enhancements' && status === 422) {
        oracle.onRefused(refusedIn(request.body, body), sentAt);
      }
      if (path === '/credits') oracle.onBalanceKnown(sender, sentAt, givenAt);
      if (path === '/enhancements') oracle.onSubmitAnswered(sender, sentAt);
      const ids: unknown = Reflect.get(Object(body), 'tracking_id_to_job_id');
      if (typeof ids === 'object' && ids !== null)
        oracle.onAnswered(Object.values(ids).map(String));
    },
    onGivenUp({ sender, sentAt }: ServiceRequest, endpoint: string) {
      if (endpoint !== 'POST /enhancements') return;
      oracle.onGivenUp(sender, sentAt);
      people.onGivenUp(sender, sentAt);
    },
  };
}
