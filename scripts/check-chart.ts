/**
 * Checks the Helm chart without Helm and without a cluster. The script renders the chart with each sample of values in
 * `deploy/helm/donor-sync/ci`. It checks that Kubernetes would accept the objects and that the objects fit together.
 * Run `node scripts/check-chart.ts`. With the name of a sample as argument, the script prints its objects.
 */
import { stringify } from 'yaml';
import { readSample, renderChart, sampleNames } from './check-chart/chart.ts';
import { findShapeProblems } from './check-chart/kubernetes.ts';
import { findMisfits, namedOutside } from './check-chart/references.ts';

const [shown] = process.argv.slice(2);

for (const name of sampleNames()) {
  const values = readSample(name);
  const { objects } = renderChart(values);
  if (name === shown) {
    for (const object of objects) process.stdout.write(`---\n${stringify(object)}`);
    continue;
  }
  const problems = [...findShapeProblems(objects), ...findMisfits(objects, namedOutside(values))];
  process.stdout.write(`${name}: ${objects.length} objects, ${problems.length} problems\n`);
  for (const problem of problems) process.stdout.write(`  ${problem}\n`);
  if (problems.length > 0) process.exitCode = 1;
}
