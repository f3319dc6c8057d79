// SPDX-License-Identifier: MIT

/** The results of a run as rows of words. `docs/formats.md` describes their JSON. */

/** A list of numbers by the name of its form, such as `u32`. */
type Numbers = Partial<Record<string, unknown>>;

/** A slot of the outputs of an invocation. */
interface OutputSlot extends Numbers {
   name: string;
   vertex?: number;
   index?: number;
}

/** What one invocation gave. */
interface InvocationResult {
   slots?: OutputSlot[];
   vertices?: { stream: number; slots?: OutputSlot[] }[];
}

/** The JSON of the results. */
export interface Results {
   buffers: Numbers[];
   images: Numbers[];
   targets: Numbers[];
   captures: Numbers[];
   invocations?: InvocationResult[];
}

/** A table of words. */
export interface Rows {
   caption: string;
   columns: string[];
   rows: { name: string; words: (number | null)[]; before: number[] | null }[];
   /** The form in which the words are written in the JSON. */
   form: string;
}

/** The bytes of a row. */
const ROW = 16;

/** The bytes that a list of numbers has, and the form of the list; null if there is none. An undefined word is null, and so is a
 * float that JSON does not have: `words` has null for both. */
function read(object: Numbers): { form: string; words: (number | null)[] } | null {
   for (const form of ["u8", "u32", "i32", "f32"]) {
      const list = object[form];
      if (!Array.isArray(list)) continue;
      const values = list as (number | null)[];
      if (form !== "u8") return { form, words: values.map((value) => (value === null ? null : bits(value, form))) };
      const bytes = new DataView(new ArrayBuffer(Math.ceil(values.length / 4) * 4));
      for (const [at, value] of values.entries()) bytes.setUint8(at, value ?? 0);
      return { form: "hex", words: Array.from({ length: bytes.byteLength / 4 }, (_, at) => bytes.getUint32(4 * at, true)) };
   }
   return null;
}

/** The bits of a number. */
function bits(value: number, form: string): number {
   const bytes = new DataView(new ArrayBuffer(4));
   if (form === "f32") bytes.setFloat32(0, value);
   else bytes.setUint32(0, value >>> 0);
   return bytes.getUint32(0);
}

/** The words of the inputs at the same place; zeros for inputs that have only a size, or that the page wrote. */
function wordsBefore(inputs: unknown, list: string, of: Numbers, count: number): number[] {
   const zeros = Array.from({ length: count }, () => 0);
   const all = (inputs as Partial<Record<string, Numbers[]>> | null)?.[list];
   if (!Array.isArray(all)) return zeros;
   const same = (it: Numbers): boolean =>
      it["set"] === of["set"] && it["binding"] === of["binding"] && (it["element"] ?? 0) === (of["element"] ?? 0);
   const found = all.find(same);
   const words = found && read(found)?.words;
   return words ? zeros.map((zero, at) => words[at] ?? zero) : zeros;
}

/** A table with the words of a buffer; each row begins with its first byte. */
function ofBytes(caption: string, object: Numbers, before: number[] | null): Rows[] {
   const found = read(object);
   if (!found?.words.length) return [];
   const step = ROW / 4;
   const rows = Array.from({ length: Math.ceil(found.words.length / step) }, (_, row) => ({
      name: String(row * ROW),
      words: found.words.slice(row * step, (row + 1) * step),
      before: before?.slice(row * step, (row + 1) * step) ?? null,
   }));
   return [{ caption, columns: ["byte", "+0", "+4", "+8", "+12"], rows, form: found.form }];
}

function ofSlots(caption: string, slots: OutputSlot[]): Rows[] {
   const name = ({ name, vertex, index }: OutputSlot): string =>
      name + (vertex ? `, vertex ${vertex}` : "") + (index ? `, second half` : "");
   const rows = slots.map((slot) => ({ name: name(slot), words: read(slot)?.words ?? [], before: null }));
   return rows.length ? [{ caption, columns: ["output", "x", "y", "z", "w"], rows, form: "f32" }] : [];
}

function ofInvocation(invocation: InvocationResult, number: number): Rows[] {
   const vertices = (invocation.vertices ?? []).filter((vertex) => vertex.slots);
   return [
      ...ofSlots(`Outputs of invocation ${number}`, invocation.slots ?? []),
      ...vertices.flatMap(({ stream, slots }, vertex) =>
         ofSlots(`Invocation ${number}, vertex ${vertex}${stream ? `, stream ${stream}` : ""}`, slots ?? []),
      ),
   ];
}

/** The tables of the results of a run with these inputs. The picture has targets of bytes. */
export function tables(results: Results, inputs: string): Rows[] {
   const given: unknown = inputs.trim() ? JSON.parse(inputs) : null;
   const place = (object: Numbers): string => {
      const element = object["element"] ? `, element ${String(object["element"])}` : "";
      return `set ${String(object["set"])}, binding ${String(object["binding"])}${element}`;
   };
   const ofDescriptors = (list: "buffers" | "images", what: string): Rows[] =>
      results[list].flatMap((object) => {
         const count = read(object)?.words.length ?? 0;
         return ofBytes(`${what}: ${place(object)}`, object, wordsBefore(given, list, object, count));
      });
   const targets = results.targets.filter((target) => !Array.isArray(target["u8"]));
   return [
      ...ofDescriptors("buffers", "Buffer"),
      ...ofDescriptors("images", "Image"),
      ...targets.flatMap((target, number) => ofBytes(`Target ${number}: ${String(target["format"])}`, target, null)),
      ...results.captures.flatMap((capture, number) => ofBytes(`Transform feedback, buffer ${number}`, capture, null)),
      ...(results.invocations ?? []).flatMap(ofInvocation),
   ];
}
