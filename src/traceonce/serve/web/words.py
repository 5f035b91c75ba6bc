"""The words of the web pages: English and Chinese stand side by side, so that none is forgotten.

A word may hold markup of our own (`<b>`) and places (`{name}`); what is put into a place is escaped. Where English has
two forms, for one and for many, they stand with a bar between them, and `n` decides. What the scripts say is in `LIVE`.
"""

from __future__ import annotations

from markupsafe import Markup

from traceonce.knowledge.language import Language, in_language, words_in
from traceonce.serve.web.showing import harmless

WORDS: dict[str, tuple[str, str]] = {
    # the frame
    "skip": ("Skip to the content", "跳到正文"),
    "navigation": ("Pages", "页面"),
    "nav_recordings": ("Recordings", "运行记录"),
    "nav_explain": ("Explain an error", "解释错误"),
    "nav_knowledge": ("Knowledge", "知识库"),
    "nav_api": ("API", "API"),
    "language": ("Language", "语言"),
    "theme": ("Theme", "主题"),
    "theme_system": ("Auto", "自动"),
    "theme_light": ("Light", "浅色"),
    "theme_dark": ("Dark", "深色"),
    "motto": ("Trace once, run forever.", "追踪一次，一直运行。"),
    "copy": ("Copy", "复制"),
    "search": ("Search", "搜索"),
    "all": ("All", "全部"),
    "show_all": ("Show all", "显示全部"),
    "cancel": ("Cancel", "取消"),
    "facts": ("Facts", "要点"),
    "colon": (": ", "："),
    "comma": (", ", "，"),
    # paging
    "pages": ("Pages of the list", "列表分页"),
    "shown": ("{first} to {last} of {total}", "第 {first} 至 {last} 项，共 {total} 项"),
    "previous": ("Previous", "上一页"),
    "next": ("Next", "下一页"),
    # recordings
    "recordings_lede": (
        "What your programs traced, why, and what it cost. Drop recordings anywhere on this page.",
        "你的程序追踪了什么、为什么追踪、花了多少时间。可将记录文件拖放到本页任意位置。",
    ),
    "add_recordings": ("Add recordings", "添加运行记录"),
    "uploads": ("Uploads", "上传"),
    "drop_here": ("Drop the recordings here", "将运行记录拖放到这里"),
    "search_recordings": ("Name, command, function", "名称、命令、函数"),
    "recordings_found": ("{n} recording|{n} recordings", "{n} 条运行记录"),
    "no_recordings": ("No recordings yet", "还没有运行记录"),
    "no_recordings_how": (
        "Record a run, then drop the file here:",
        "先记录一次运行，再把文件拖放到这里：",
    ),
    "no_recording_matches": ("No recording matches {query}.", "没有与 {query} 匹配的运行记录。"),
    "pick": ("Pick {name} to compare", "选择 {name} 进行比较"),
    "pick_two": ("Pick two recordings to compare them.", "选择两条运行记录进行比较。"),
    "compare_two": ("Compare the two", "比较所选两条"),
    "lost_of": ("lost of {total}", "损失，共运行 {total}"),
    "traces": ("{n} trace|{n} traces", "追踪 {n} 次"),
    "functions_count": ("{n} function|{n} functions", "{n} 个函数"),
    "nothing_traced": ("Nothing traced", "没有追踪"),
    "delete": ("Delete", "删除"),
    "delete_named": ("Delete {name}", "删除 {name}"),
    "delete_question": ("Delete this recording?", "删除这条运行记录？"),
    "delete_for_good": (
        "It is gone for everybody who uses this server. It cannot be undone.",
        "所有使用此服务器的人都将无法再看到它，且无法恢复。",
    ),
    # one recording
    "download": ("Download", "下载"),
    "form_html": ("one file, works offline", "单个文件，可离线查看"),
    "form_markdown": ("for a pull request", "用于合并请求"),
    "form_json": ("for programs", "供程序读取"),
    "form_sarif": ("for code scanning", "用于代码扫描"),
    "form_chrome": ("for Perfetto", "用于 Perfetto"),
    "form_csv": ("all events", "全部事件"),
    "form_text": ("as in the terminal", "与终端输出相同"),
    "the_recording": ("Recording", "运行记录"),
    "report_alone": ("Report alone", "单独打开报告"),
    "report_of": ("Report of {name}", "{name} 的报告"),
    "command": ("Command", "命令"),
    "when": ("When", "时间"),
    "run_time": ("Run time", "运行时长"),
    "exit_code": ("exit status {n}", "退出状态 {n}"),
    "time_lost": ("Time lost", "损失时间"),
    "functions": ("Functions", "函数"),
    "environment": ("With", "环境"),
    "verdict_retracing": ("Retracing", "反复追踪"),
    "verdict_recompiling": ("Recompiling", "反复编译"),
    "verdict_failed": ("Failed", "失败"),
    "verdict_stale": ("Wrong value", "值错误"),
    "verdict_confused": ("Wrong value", "值错误"),
    "verdict_bounded": ("Bounded", "有限"),
    "verdict_ok": ("Fine", "正常"),
    # compare
    "compare": ("Compare", "比较"),
    "compare_with": ("Compare with", "与之比较"),
    "compare_how": ("Choose the run before a change, and the run after it.", "选择修改前和修改后的运行记录。"),
    "compare_not_two": (
        "Two recordings can be compared, not {n}. Choose them here.",
        "只能比较两条运行记录，所选为 {n} 条。请在此选择。",
    ),
    "compare_headline": (
        "From {before} trace to {after}|From {before} traces to {after}",
        "追踪从 {before} 次变为 {after} 次",
    ),
    "compare_lede": (
        "From <b>{before}</b> lost to <b>{after}</b>",
        "损失时间从 <b>{before}</b> 变为 <b>{after}</b>",
    ),
    "count_better": ("{n} better", "{n} 个变好"),
    "count_worse": ("{n} worse", "{n} 个变差"),
    "count_same": ("{n} the same", "{n} 个不变"),
    "count_gone": ("{n} gone", "{n} 个消失"),
    "count_new": ("{n} new", "{n} 个新增"),
    "compare_race": ("Time lost before: {before}; after: {after}", "损失时间，修改前 {before}，修改后 {after}"),
    "before": ("Before", "修改前"),
    "after": ("After", "修改后"),
    "swap": ("Swap before and after", "交换前后"),
    "too_few_to_compare": (
        "There are fewer than two recordings. Add them on the page of recordings.",
        "运行记录不足两条。请先在运行记录页添加。",
    ),
    "nothing_to_compare": ("Neither run traced a function.", "两次运行都没有追踪任何函数。"),
    "change": ("Change", "变化"),
    "change_better": ("Better", "变好"),
    "change_worse": ("Worse", "变差"),
    "change_same": ("Same", "不变"),
    "change_gone": ("Gone", "消失"),
    "change_new": ("New", "新增"),
    "function": ("Function", "函数"),
    "trace_column": ("Traces", "追踪次数"),
    "verdict": ("Verdict", "结论"),
    "causes": ("Causes", "原因"),
    "gone": ("gone:", "消失："),
    "new": ("new:", "新增："),
    "causes_same": ("no change", "无变化"),
    "cause_shape": ("shape", "形状"),
    "cause_rank": ("rank", "秩"),
    "cause_dtype": ("dtype", "dtype"),
    "cause_value": ("Python value", "Python 值"),
    "cause_kind": ("kind", "种类"),
    "cause_structure": ("structure", "结构"),
    "cause_spec": ("type specification", "类型规格"),
    "cause_identity": ("another object", "另一个对象"),
    "cause_collected": ("object collected", "对象已被回收"),
    "cause_unequal": ("never equal to itself", "与自身不相等"),
    "cause_aliasing": ("aliasing", "别名"),
    "cause_new_function": ("new function", "新函数"),
    "cause_new_instance": ("new instance", "新实例"),
    "cause_variable_creation": ("variable creation", "创建变量"),
    "cause_context": ("surroundings", "调用环境"),
    "cause_compile": ("XLA compilation", "XLA 编译"),
    "cause_backward": ("backward graph", "反向图"),
    "cause_stale": ("old value", "旧值"),
    "cause_confused": ("equal, but of another type", "相等但类型不同"),
    "cause_unknown": ("unknown", "未知"),
    # knowledge
    "knowledge_title": ("What is known about tracing failures", "关于追踪故障的已知信息"),
    "knowledge_lede": (
        "Every cause, workaround and dead end here was run; the records say how often, and with which versions.",
        "这里的每个原因、解决办法和行不通的做法都实际运行过；记录中写明了次数和版本。",
    ),
    "search_records": ("Message, cause, name", "消息、原因、名称"),
    "records": ("Records", "记录"),
    "records_found": ("{n} record|{n} records", "{n} 条记录"),
    "no_record_matches": ("No record matches {query}.", "没有与 {query} 匹配的记录。"),
    "paste_instead": ("Paste the whole error instead", "改为粘贴完整的错误"),
    "narrow_down": ("Narrow down", "筛选"),
    "facet_domain": ("Domain", "领域"),
    "facet_category": ("Category", "类别"),
    "facet_tier": ("Verification", "验证程度"),
    "evidence": ("Evidence", "运行证据"),
    "failure_run": ("The failure, run", "故障实测"),
    "try_this": ("Works ({n})", "有效（{n}）"),
    "never_run": ("nobody has run this", "尚未实际运行验证"),
    "here": ("On this server", "本服务器"),
    "outcomes": ("worked {worked}×, failed {failed}×", "有效 {worked} 次，无效 {failed} 次"),
    "tried": ("Tried it?", "试过吗？"),
    "it_worked": ("It worked", "有效"),
    "it_failed": ("It did not", "无效"),
    "raw_json": ("The record as JSON", "记录的 JSON"),
    # explain
    "explain_title": ("Paste an error, get the answer", "粘贴错误，获得答案"),
    "explain_lede": (
        "A message, a whole traceback, or a log with several errors, in English or Chinese.",
        "一条消息、完整的回溯，或含有多个错误的日志，中英文皆可。",
    ),
    "explain_label": ("Error or log", "错误或日志"),
    "explain_placeholder": (
        "TypeError: Binding inputs to tf.function failed…",
        "TypeError: Binding inputs to tf.function failed…",
    ),
    "explain_button": ("Explain", "解释"),
    "explain_example": ("Show an example", "查看示例"),
    "explain_private": ("It is matched on this server and not kept.", "仅在此服务器上匹配，不会保存。"),
    "explain_nothing": (
        "There is no text to explain. Paste an error or a log.",
        "没有可解释的文本。请粘贴错误或日志。",
    ),
    "explain_too_long": (
        "The text has more than {n} bytes. Paste the end of the log, where the error is; a file of any size can be"
        " explained with: traceonce explain FILE",
        "文本超过 {n} 字节。请只粘贴日志末尾的错误部分；任意大小的文件可用命令 traceonce explain FILE 解释。",
    ),
    "answer": ("Answer", "答案"),
    "explained": ("{n} error explained|{n} errors explained", "已解释 {n} 个错误"),
    "matched": ("Matched", "匹配"),
    "in_line": ("line {line}", "第 {line} 行"),
    "times": ("{n} time|{n} times", "{n} 次"),
    "in_functions": ("In", "函数"),
    "and_more": ("and {n} more", "等另外 {n} 个"),
    "cause": ("Cause", "原因"),
    "try_first": ("Try first", "先试"),
    "do_not": ("Do not", "不要"),
    "why": ("Why", "为何"),
    "applies": ("When", "适用"),
    "helped": ("It helped in {held} of {runs} runs", "{runs} 次运行中有 {held} 次有效"),
    "did_not_help": ("It did not help in {held} of {runs} runs", "{runs} 次运行中有 {held} 次无效"),
    "interval": (" ({rate}, 95 % interval from {least})", "（{rate}，95% 置信区间下限 {least}）"),
    "run_with": ("Run with {versions}", "实测版本：{versions}"),
    "comes_next": ("Comes next", "之后常见"),
    "confused_with": ("Easily confused with", "容易与之混淆"),
    "also": ("Also matched", "也匹配"),
    "whole_record": ("The whole record", "完整记录"),
    "official_page": ("Official documentation", "官方文档"),
    "can_ignore": ("This can be ignored:", "可以忽略："),
    "unknown": ("Nothing is known about", "没有关于以下内容的记录"),
    "nothing_known": ("Nothing is known about this", "没有与此匹配的记录"),
    "browse_instead": ("Browse all records", "浏览全部记录"),
    "guesses": ("Guesses", "猜测"),
    "guesses_say": (
        "These records are the nearest by words. They are guesses: they may have nothing to do with it.",
        "以下是按用词最接近的记录，仅为猜测，可能与此无关。",
    ),
    "shared_words": ("shares the words {words}", "共有的词：{words}"),
    # sign in
    "sign_in": ("Sign in", "登录"),
    "sign_out": ("Sign out", "退出登录"),
    "sign_in_lede": (
        "This server asks for its token: the one that it was started with.",
        "此服务器需要令牌，即启动时设定的令牌。",
    ),
    "token": ("Token", "令牌"),
    "wrong_token": (
        "This is not the token of this server. Whoever started it knows it (--token, or TRACEONCE_TOKEN).",
        "这不是此服务器的令牌。请询问启动服务器的人（--token 或 TRACEONCE_TOKEN）。",
    ),
    # API
    "api_title": ("REST API", "REST API"),
    "api_lede": (
        "Everything that these pages show, as JSON, for programs. The same questions are answered over MCP at /mcp.",
        "这些页面显示的所有内容均可由程序以 JSON 读取。同样的问题也可通过 /mcp 以 MCP 提出。",
    ),
    "api_try": ("Try it", "试一试"),
    "api_recordings": ("Recordings", "运行记录"),
    "api_knowledge": ("Knowledge", "知识库"),
    "api_other": ("Other", "其他"),
    # errors
    "error_title": ("This did not work", "出错了"),
    "error_400": ("This request cannot be read", "无法读取此请求"),
    "error_401": ("Sign in first", "请先登录"),
    "error_403": ("This is not allowed", "不允许此操作"),
    "error_404": ("There is nothing here", "这里没有内容"),
    "error_405": ("This cannot be done here", "此处不能这样操作"),
    "error_413": ("This is too large", "内容过大"),
    "error_422": ("This request does not fit", "请求不符合要求"),
    "error_429": ("Too many questions at once", "请求过于频繁"),
    "no_such_page": (
        "No page has this address. It may have been deleted, or the link is incomplete.",
        "没有这个地址的页面。它可能已被删除，或者链接不完整。",
    ),
}

# What the scripts say; they fill in the places themselves.
LIVE: dict[str, tuple[str, str]] = {
    "copied": ("Copied", "已复制"),
    "copy_failed": ("The browser did not let us copy. Select the text instead.", "浏览器不允许复制，请手动选择文本。"),
    "waiting": ("waiting", "等待中"),
    "sending": ("{percent} %", "{percent}%"),
    "reading": ("the server is reading it", "服务器正在读取"),
    "added": ("added", "已添加"),
    "known": ("was here already", "此前已存在"),
    "open": ("Open", "打开"),
    "too_large": ("{size} MiB: this server takes up to {limit} MiB", "{size} MiB：此服务器最多接受 {limit} MiB"),
    "is_empty": ("is empty", "文件为空"),
    "no_answer": ("The server did not answer. Is it still running?", "服务器没有响应。它还在运行吗？"),
    "refused": ("The server refused it (status {status}).", "服务器拒绝了请求（状态 {status}）。"),
    "uploaded_all": ("{done} added, {failed} failed", "已添加 {done} 个，失败 {failed} 个"),
    "noted": ("Noted for everybody on this server", "已记录，本服务器的所有人可见"),
    "deleted": ("Deleted", "已删除"),
    "pick_two": ("Pick two recordings to compare them.", "选择两条运行记录进行比较。"),
    "pick_one_more": ("Pick one more.", "再选一条。"),
    "two_picked": ("Two picked.", "已选两条。"),
    "too_many_picked": ("{n} picked: two can be compared.", "已选 {n} 条：只能比较两条。"),
}

CATEGORIES: dict[str, tuple[str, str]] = {
    "retracing": ("Retracing", "反复追踪"),
    "control_flow_error": ("Control flow", "控制流"),
    "graph_error": ("Graph", "图"),
    "signature_error": ("Signature", "签名"),
    "silent_error": ("Silently wrong", "静默错误"),
    "xla_error": ("XLA", "XLA"),
    "autograph_error": ("AutoGraph", "AutoGraph"),
    "resource_error": ("Resources", "资源"),
    "saved_model_error": ("SavedModel", "SavedModel"),
}

TIERS: dict[str, tuple[str, str]] = {
    "verified": ("verified", "已验证"),
    "reproduced": ("reproduced", "已复现"),
    "documented": ("documented", "有文档依据"),
    "ai_generated": ("AI generated", "AI 生成，未经验证"),
}


class Speech:
    """Says words in one language."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self._words = words_in(language, WORDS)
        self.live = words_in(language, LIVE)

    def say(self, key: str, **values: object) -> Markup:
        """A word with its places filled in; whatever is put in is escaped."""
        one, bar, many = self._words[key].partition("|")
        chosen = many if bar and values.get("n") != 1 else one
        return Markup(chosen).format(**{name: harmless(value) for name, value in values.items()})

    def knows(self, key: str) -> bool:
        return key in self._words

    def category(self, name: str) -> str:
        """A record's category as people read it; of another base it may be any text."""
        plain = name.replace("_", " ")
        return in_language(self.language, *CATEGORIES.get(name, (plain, "")))

    def tier(self, name: str) -> str:
        return in_language(self.language, *TIERS.get(name, (name, "")))
