import type { NetworksForecast } from '../../../networks/forecast.ts';
import type { Output } from '../../terminal/output.ts';
import { countOf, formatCount } from '../../terminal/quantities.ts';

/** What a run would do to the networks, for a person; nothing where there are none. */
export function printNetworks(
  output: Output,
  {
    networks,
    credits,
  }: { networks: NetworksForecast['networks']; credits: { networks: NetworksForecast['credits'] } },
): void {
  if (networks.length === 0) return;
  output.print();
  output.table(
    [
      { header: 'Network', value: ({ name }) => name, shrinks: true },
      { header: 'Members', value: ({ members }) => formatCount(members), align: 'right' },
      { header: 'Join', value: ({ joiners }) => formatCount(joiners), align: 'right' },
      { header: 'Leave', value: ({ leavers }) => formatCount(leavers), align: 'right' },
      { header: 'To enhance', value: ({ toEnhance }) => formatCount(toEnhance), align: 'right' },
      { header: 'Remark', value: ({ problem }) => problem ?? '', shrinks: true, optional: true },
    ],
    networks,
  );
  const { needed, allowed, remaining, limit } = credits.networks;
  const cost =
    needed === 0
      ? 'none needed'
      : `up to ${formatCount(needed)} needed, up to ${formatCount(allowed)} would be spent`;
  output.print(`  Credits: ${cost}, ${formatCount(remaining)} in the bucket "networks"`);
  if (limit !== null) {
    const left = countOf(needed - allowed, 'member');
    output.print(output.style.warn(`  ${left} would have to wait: ${limit}`));
  }
}
