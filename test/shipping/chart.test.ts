import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import {
  CHART,
  type KubernetesObject,
  readSample,
  readValuesSchema,
  renderChart,
  sampleNames,
} from '../../scripts/check-chart/chart.ts';
import { findShapeProblems } from '../../scripts/check-chart/kubernetes.ts';
import { findMisfits, namedOutside, workloadsOf } from '../../scripts/check-chart/references.ts';
import {
  type Defined,
  parseTemplate,
  renderTemplate,
  type Value,
} from '../../scripts/check-chart/template.ts';
import { parseDockerfile } from '../../scripts/replay-dockerfile/dockerfile.ts';
import { closedAfterTest } from '../helpers/closed-after-test.ts';
import { runWhole } from '../helpers/whole-program.ts';
import { openHttpWorld } from '../interfaces/api/http-world.ts';

const ROOT = join(import.meta.dirname, '../..');
const open = closedAfterTest(openHttpWorld);

/** The objects that the chart creates for each sample. */
const SAMPLES = sampleNames().map((name) => {
  const values = readSample(name);
  return { name, values, ...renderChart(values) };
});
const ALL = SAMPLES.flatMap(({ objects }) => objects);
const FULL = readSample('full-values.yaml');

describe('the Helm chart', () => {
  it.each(SAMPLES)('makes of $name what Kubernetes takes, and what fits', ({ values, objects }) => {
    expect(findShapeProblems(objects)).toEqual([]);
    expect(findMisfits(objects, namedOutside(values))).toEqual([]);
  });

  it('makes every kind of object in one sample or another, and all that is asked of each', () => {
    expect([...new Set(ALL.map(({ kind }) => kind))].sort()).toEqual([
      'ConfigMap',
      'Deployment',
      'HorizontalPodAutoscaler',
      'Ingress',
      'Job',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'ScaledObject',
      'Service',
      'ServiceMonitor',
    ]);
    const byName = new Map(SAMPLES.map(({ name, objects }) => [name, workloadsOf(objects)]));
    const replicas = (sample: string) => byName.get(sample)?.map((one) => one.replicas);
    expect(replicas('minimal-values.yaml')).toEqual([undefined, 2, 2]);
    expect(replicas('many-values.yaml')).toEqual([undefined, 2, undefined]);
  });

  it('is of the version of the product, and its image has what it starts and where it writes', () => {
    const { version } = z.object({ version: z.string() }).parse(JSON.parse(read('package.json')));
    expect(parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8'))).toMatchObject({
      version,
      appVersion: version,
    });
    const image = parseDockerfile(read('Dockerfile')).at(-1)?.instructions ?? [];
    const volumes = image.flatMap((each) => (each.kind === 'VOLUME' ? each.values : []));
    const ports = image.flatMap((each) => (each.kind === 'EXPOSE' ? each.values : []));
    for (const { container } of workloadsOf(ALL)) {
      const mounted = container.volumeMounts.map(({ mountPath }) => mountPath);
      expect(mounted).toEqual(expect.arrayContaining(volumes));
      if (container.name === 'web')
        expect(container.ports).toMatchObject([{ containerPort: Number(ports[0]) }]);
    }
    expect(read('Dockerfile')).toContain('ENTRYPOINT ["node", "/app/dist/src/main.js"]');
  });

  it('starts commands that there are, with options that they have', async () => {
    const lines = workloadsOf(ALL).map(({ container }) => container.args);
    const inNotes = SAMPLES.flatMap(({ notes }) =>
      [...notes.matchAll(/main\.js (.+)$/gm)].map(([, line = '']) => line.split(' ')),
    );
    expect(new Set([...lines, ...inNotes].map(([word]) => word))).toEqual(
      new Set(['serve', 'worker', 'migrate', 'users']),
    );
    for (const line of [...lines, ...inNotes]) {
      const words = line.slice(
        0,
        line.findIndex((word) => word.startsWith('--')),
      );
      const command = line.includes('--name') ? words : line.slice(0, 1);
      const help = await runWhole([...command, '--help'], { cwd: ROOT });
      expect(help.exitCode ?? 0, line.join(' ')).toBe(0);
      for (const option of line.filter((word) => word.startsWith('--'))) {
        expect(help.stdout, line.join(' ')).toMatch(new RegExp(`^ +(-\\w, )?${option}\\b`, 'm'));
      }
    }
  });

  it('asks routes that there are, and goes by metrics that there are', async () => {
    const here = await open({ isIdle: true });
    const probes = workloadsOf(ALL).flatMap(({ container }) =>
      [container.startupProbe, container.livenessProbe, container.readinessProbe].flatMap((one) =>
        one ? [one.httpGet.path] : [],
      ),
    );
    expect(new Set(probes)).toEqual(new Set(['/healthz', '/readyz']));
    for (const path of new Set(probes)) expect((await here.request(path)).status).toBe(200);
    const scraped = JSON.stringify(ALL).match(/"path":"\/metrics"/g);
    expect(scraped).toHaveLength(1);
    const token = await here.addToken('viewer');
    const metrics = await here.request('/metrics', {
      headers: { authorization: `Bearer ${token}` },
    });
    const used = new Set(JSON.stringify(ALL).match(/\bdonor_sync_\w+(?=[{"])/g));
    expect([...used].sort()).toEqual([
      'donor_sync_queue_oldest_seconds',
      'donor_sync_queue_requests',
    ]);
    for (const name of used) expect(metrics.text).toContain(`# TYPE ${name} gauge`);
  });

  it('sets no variable that means nothing', () => {
    const known = read('docs/guides/environment.md');
    const names = workloadsOf(ALL).flatMap(({ container }) =>
      container.env.map(({ name }) => name),
    );
    for (const name of new Set(names)) expect(known).toContain(`\`${name}\``);
  });

  it('keeps secrets out of what is no Secret', () => {
    for (const { data } of ALL.filter(({ kind }) => kind === 'ConfigMap').map(dataOf)) {
      for (const text of Object.values(data)) {
        for (const [, value] of text.matchAll(/(?:key|token|secret|password)\w*: *(\S+)/gi)) {
          expect(value).toMatch(/^\$\{\w+\}$/);
        }
      }
    }
    const text = 'database: "postgres://donor_sync:hunter2@db/donor_sync"';
    expect(() => renderChart({ ...FULL, settings: { text } })).toThrow('values.schema.json');
    const address = 'postgres://a:b@db/x';
    for (const env of [{ PARTNER_API_KEY: 'x' }, { DB_PASSWORD: 'x' }, { URL: address }]) {
      expect(() => renderChart({ ...FULL, env })).toThrow('values.schema.json');
    }
  });

  it.each<[string, Record<string, Value>]>([
    ['a word that it does not know', { ...FULL, wroker: { runs: 3 } }],
    ['the same further in', { ...FULL, worker: { run: 3 } }],
    ['no image', { settings: FULL['settings'] ?? null }],
    ['an image by its tag', { ...FULL, image: { repository: 'a/b', digest: 'latest' } }],
    ['no settings', { image: FULL['image'] ?? null }],
    ['two places of settings', { ...FULL, settings: { text: 'a: 1', existingSecret: 'b' } }],
    ['less time than a stop takes', { ...FULL, worker: { terminationGracePeriodSeconds: 10 } }],
    ['an ingress without a host', { ...FULL, web: { ingress: { enabled: true, host: '' } } }],
    [
      'KEDA without Prometheus',
      { ...FULL, autoscaling: { kind: 'keda', keda: { prometheus: '' } } },
    ],
    [
      'a monitor without a token',
      { ...FULL, serviceMonitor: { enabled: true, tokenSecret: { name: '' } } },
    ],
  ])('refuses values with %s', (_, values) => {
    expect(() => renderChart(values)).toThrow('values.schema.json refuses');
  });

  it('has a schema that lets nothing through anywhere that it does not name', () => {
    const openOnes: string[] = [];
    look(readValuesSchema(), 'values');
    // Parts that are passed to Kubernetes unchanged.
    expect(openOnes.sort()).toEqual([
      'values.properties.global',
      'values.properties.networkPolicy.properties.egress.items',
      'values.properties.networkPolicy.properties.from.items',
      'values.properties.tolerations.items',
    ]);

    function look(schema: Value, at: string): void {
      if (schema === null || typeof schema !== 'object') return;
      if (!Array.isArray(schema) && schema['type'] === 'object') {
        if (schema['additionalProperties'] === undefined) openOnes.push(at);
      }
      for (const [key, value] of Object.entries(schema)) look(value, `${at}.${key}`);
    }
  });
});

describe('the check of the chart', () => {
  it.each<[string, (objects: KubernetesObject[]) => void, RegExp]>([
    [
      'a field that no one knows',
      (all) => put(all, 'Deployment', ['spec', 'replica'], 2),
      /replica/,
    ],
    ['a number as a text', (all) => put(all, 'Job', ['spec', 'backoffLimit'], '3'), /backoffLimit/],
    [
      'a port that is not there',
      (all) => put(all, 'Service', ['spec', 'ports', 0, 'targetPort'], 'web'),
      /does not lead to a port/,
    ],
    [
      'a selector that meets none',
      (all) => put(all, 'PodDisruptionBudget', ['spec', 'selector', 'matchLabels', 'a'], 'b'),
      /does not apply to exactly one/,
    ],
    [
      'a stop that is too short',
      (all) =>
        put(all, 'Deployment', ['spec', 'template', 'spec', 'terminationGracePeriodSeconds'], 10),
      /is killed after 10 s/,
    ],
    [
      'a root file system to write to',
      (all) =>
        put(
          all,
          'Deployment',
          [
            'spec',
            'template',
            'spec',
            'containers',
            0,
            'securityContext',
            'readOnlyRootFilesystem',
          ],
          false,
        ),
      /has more permissions/,
    ],
    [
      'an image by its tag',
      (all) => put(all, 'Job', ['spec', 'template', 'spec', 'containers', 0, 'image'], 'a:latest'),
      /not a digest/,
    ],
    [
      'a ConfigMap that comes too late',
      (all) =>
        put(
          all,
          'Job',
          ['spec', 'template', 'spec', 'volumes', 0, 'configMap', 'name'],
          'donors-settings',
        ),
      /not there when it starts/,
    ],
    [
      'a Secret of another name',
      (all) =>
        put(
          all,
          'Deployment',
          ['spec', 'template', 'spec', 'containers', 0, 'envFrom', 0, 'secretRef', 'name'],
          'other',
        ),
      /the Secret other is not there/,
    ],
    [
      'a number of workers beside a scaler',
      (all) =>
        put(
          all.filter(({ metadata }) => metadata.name !== 'donors-web'),
          'Deployment',
          ['spec', 'replicas'],
          2,
        ),
      /also sets the number/,
    ],
  ])('finds %s', (_, spoil, problem) => {
    const { objects } = renderChart(FULL);
    spoil(objects);
    const found = [...findShapeProblems(objects), ...findMisfits(objects, namedOutside(FULL))];
    expect(found.join('\n')).toMatch(problem);
  });
});

describe('the templates that the check knows', () => {
  const render = (source: string, dot: Value = { a: { b: 'c' }, list: [1, 2], none: '' }) => {
    const defined: Defined = new Map();
    return renderTemplate(parseTemplate(source, defined), dot, defined);
  };

  it.each([
    ['x {{- .a.b -}} y', 'xcy'],
    ['{{/* nothing */}}{{ .a.b | quote }}', '"c"'],
    ['{{ if .none }}1{{ else if eq .a.b "c" }}2{{ else }}3{{ end }}', '2'],
    ['{{ with .a }}{{ .b }}{{ $.list | toYaml | nindent 2 }}{{ end }}', 'c\n  - 1\n  - 2'],
    ['{{ range .list }}<{{ . }}>{{ end }}', '<1><2>'],
    ['{{ range $key, $value := .a }}{{ $key }}={{ $value }}{{ end }}', 'b=c'],
    ['{{ define "t" }}[{{ .b }}]{{ end }}{{ include "t" .a }}', '[c]'],
    ['{{ if or .none (eq .a.b "d") }}1{{ else }}2{{ end }}', '2'],
    ['{{ printf "%s-%s" .a.b "d" | trunc 2 | trimSuffix "-" }}', 'c'],
  ])('are rendered as Helm does: %s', (source, text) => {
    expect(render(source)).toBe(text);
  });

  it.each([
    '{{ .a.missing }}',
    '{{ .a }}',
    '{{ tpl .a.b . }}',
    '{{ $x := .a }}',
    '{{ if .a }}',
    '{{ end }}',
    '{{ else }}',
    '{{ printf "%d" 1 }}',
    '{{ include "missing" . }}',
    '{{ .a.b',
    '{{ block "a" . }}{{ end }}',
    '{{ range $one := .list }}{{ end }}',
    '{{ .a.b "c" }}',
  ])('are refused where they are not known: %s', (source) => {
    expect(() => render(source)).toThrow();
  });
});

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

function dataOf(object: KubernetesObject) {
  return z.object({ data: z.record(z.string(), z.string()) }).parse(object);
}

/** Sets one value deep inside the last object of a kind. */
function put(
  objects: readonly KubernetesObject[],
  kind: string,
  path: readonly (string | number)[],
  value: Value,
): void {
  let at: unknown = objects.findLast((one) => one.kind === kind);
  for (const key of path.slice(0, -1)) at = Reflect.get(Object(at), key);
  Reflect.set(Object(at), path.at(-1) ?? '', value);
}
