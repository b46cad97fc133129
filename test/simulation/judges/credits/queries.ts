/** Checks the limits of the credits that queries about connections cost. */
import type { Swarm } from '../../swarm/swarm.ts';

interface QueryDeps {
  swarm: Swarm;
  violate(invariant: string, what: string): void;
  look(judge: string, subject: string): void;
  reach(event: string): void;
}

/** Returns a function that checks a query which the service has charged to a process. */
export function createJudgeQueries({
  swarm: { settings, service },
  violate,
  look,
  reach,
}: QueryDeps): (sender: string, balance: number) => void {
  const spentBy = new Map<string, number>();
  return (sender, balance) => {
    if (settings.queries === null) return;
    const { perRun, keep } = settings.queries;
    const spent = (spentBy.get(sender) ?? 0) + service.queryPrice;
    spentBy.set(sender, spent);
    reach('event: a query is charged');
    look('budget', 'event: a query is charged');
    look('budget', 'setting: insights.budget.perRun');
    if (keep > 0) look('keep', 'setting: insights.budget.keep');
    // The first query shows the price, and a run assumes one credit until then.
    const unknown = service.queryPrice - 1;
    if (spent > perRun + unknown) {
      violate('budget', `a run has spent ${spent} credits of ${perRun} for queries`);
    }
    if (balance + unknown < keep) {
      violate('keep', `${balance} credits for queries are left of ${keep} that are to be kept`);
    }
  };
}
