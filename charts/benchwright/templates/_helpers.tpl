{{- define "benchwright.labels" -}}
app.kubernetes.io/part-of: benchwright
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "benchwright.selector" -}}
app.kubernetes.io/part-of: benchwright
app.kubernetes.io/component: {{ . }}
{{- end }}

{{- /* The first has no number in its name. */ -}}
{{- define "benchwright.proxyName" -}}
benchwright-proxy{{ if . }}-{{ . }}{{ end }}
{{- end }}

{{- define "benchwright.proxySelector" -}}
{{ include "benchwright.selector" "proxy" }}
benchwright.dev/proxy: {{ . | quote }}
{{- end }}

{{- define "benchwright.image" -}}
{{- $image := index .root.Values.images .name -}}
{{ printf "%s:%s" $image.repository ($image.tag | default .root.Chart.AppVersion) | quote }}
{{- end }}

{{- define "benchwright.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
fsGroupChangePolicy: OnRootMismatch
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "benchwright.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{- define "benchwright.pullSecrets" -}}
{{- with .Values.images.pullSecrets }}
imagePullSecrets:
{{- range . }}
  - name: {{ . | quote }}
{{- end }}
{{- end }}
{{- end }}

{{- /* What the schema cannot say: names that refer to one another. */ -}}
{{- define "benchwright.checkModels" -}}
{{- if and .Values.proxy.persistence.existingClaim (gt (int .Values.proxy.replicas) 1) }}
{{- fail "proxy.persistence.existingClaim is for one proxy: each has a volume of its own" }}
{{- end }}
{{- $providers := list "scripted" }}
{{- range .Values.proxy.providers }}
{{- if has .name $providers }}{{ fail (printf "proxy.providers: two have the name %q: rename one" .name) }}{{ end }}
{{- $providers = append $providers .name }}
{{- end }}
{{- $models := list }}
{{- range .Values.proxy.models }}
{{- $where := printf "proxy.models, model %q" .name }}
{{- if has .name $models }}{{ fail (printf "%s: two have this name: rename one" $where) }}{{ end }}
{{- $models = append $models .name }}
{{- if not (has .provider $providers) }}
{{- fail (printf "%s: provider %q is not one of %s: add it to proxy.providers" $where .provider (join ", " $providers)) }}
{{- end }}
{{- if eq .provider "scripted" }}
{{- if not .dialogue }}{{ fail (printf "%s: a scripted model needs a dialogue: a key of proxy.dialogues" $where) }}{{ end }}
{{- if not (hasKey $.Values.proxy.dialogues .dialogue) }}
{{- fail (printf "%s: dialogue %q is no key of proxy.dialogues: add it (--set-file), or correct the name" $where .dialogue) }}
{{- end }}
{{- else if .dialogue }}
{{- fail (printf "%s: only models of the provider scripted have a dialogue: remove it" $where) }}
{{- end }}
{{- end }}
{{- end }}
