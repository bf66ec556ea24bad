import { describe, expect, it } from 'vitest';
import { lineOfPath, readJobFile, textOfSpec, withValue } from '../../src/yaml/jobfile';

const text = `# training of the week
name: resnet50   # shown in lists
run: train.py
parameters: {epochs: 90, lr: 1e-4}   # from the paper
inputs:
  # the small set
  data: obs://bucket/data/
resources: {nodes: 2, devices: npu:8}
`;
const change = (path: (string | number)[], value: unknown, from = text) => withValue(readJobFile(from), path, value);

describe('a job file that a form edits', () => {
  it('changes the edited value only', () => {
    expect(change(['name'], 'bert')).toBe(text.replace('resnet50', 'bert'));
    expect(change(['resources', 'nodes'], 4)).toBe(text.replace('nodes: 2', 'nodes: 4'));
    expect(change(['parameters', 'epochs'], 10)).toBe(text.replace('epochs: 90', 'epochs: 10'));
  });

  it('keeps all comments where entries are added and removed', () => {
    const added = change(['limits', 'time'], '12h');
    for (const comment of ['# training of the week', '# shown in lists', '# from the paper', '# the small set']) expect(added).toContain(comment);
    expect(readJobFile(added).spec.limits).toEqual({ time: '12h' });
    const gone = change(['limits', 'time'], '', added);
    expect(readJobFile(gone).spec).toEqual(readJobFile(text).spec);
    expect(gone).toContain('# the small set');
  });

  it('quotes what YAML would read as something else', () => {
    for (const value of ['yes: no', '- a', '# x', '{a', 'true', '12', 'a: b', "it's", '"q"', ' blank ', '*x', '&x', '@x', '%x', '|'])
      expect(readJobFile(change(['name'], value)).spec.name, value).toBe(value);
  });

  it('begins with nothing', () => {
    expect(readJobFile(change(['run'], 'train.py', '')).spec).toEqual({ run: 'train.py' });
    expect(change(['name'], '', 'name: x\n')).toBe('');
  });

  it('keeps texts of several lines', () => {
    const setup = 'pip list\nnvidia-smi';
    const long = change(['hooks', 'setup'], setup);
    expect(readJobFile(long).spec.hooks).toEqual({ setup });
    expect(readJobFile(change(['hooks', 'setup'], 'one line', long)).spec.hooks).toEqual({ setup: 'one line' });
  });

  it('replaces a text by a map where the form needs one', () => {
    expect(readJobFile(change(['resources', 'nodes'], 2, 'run: x\nresources: nonsense\n')).spec.resources).toEqual({ nodes: 2 });
  });

  it('names the line of a fault', () => {
    const file = readJobFile(text);
    expect(lineOfPath(file, 'parameters.epochs')).toBe(4);
    expect(lineOfPath(file, 'inputs.data')).toBe(7);
    expect(lineOfPath(file, 'inputs.none')).toBe(7);
    expect(lineOfPath(file, 'nowhere')).toBeUndefined();
    const broken = readJobFile('run: [a\nname: x\n');
    expect(broken.faults.length).toBeGreaterThan(0);
    expect(broken.faults[0]!.line).toBeGreaterThan(0);
    expect(withValue(broken, ['name'], 'y')).toBe('run: [a\nname: x\n');
  });

  it('leaves out what only the server needs', () => {
    expect(textOfSpec({ name: 'a', muster: { code_hash: 'x' } })).toBe('name: a\n');
  });
});
